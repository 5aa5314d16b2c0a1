/* A guard: stops `rm -rf`, marks the shell's environment, takes `sudo` out of commands and secrets
 * out of results; with a command and a tool. The same as guard.js and guard.py. */

#include "indus_addon.h"
#include "text.h"

enum { GATE, ENVIRONMENT }; /* the places of the events below */

static const char registration[] =
    "{\"id\": \"guard\", \"version\": \"1.0.0\","
    " \"events\": ["
    "{\"event\": \"tool:before\", \"kind\": \"gate\"},"
    "{\"event\": \"shell:env\", \"kind\": \"transform\"}],"
    " \"interceptors\": ["
    "{\"tool\": \"bash\", \"enter\": true},"
    "{\"exit\": true}],"
    " \"commands\": [{\"name\": \"greet\", \"summary\": \"greet somebody by name\"}],"
    " \"tools\": [{\"name\": \"count_words\", \"description\": \"Count the words of a text.\","
    " \"parameters\": {\"type\": \"object\", \"properties\": {\"text\": {\"type\": \"string\"}},"
    " \"required\": [\"text\"], \"additionalProperties\": false}}],"
    " \"capabilities\": [{\"name\": \"send-message\", \"reason\": \"to greet\"},"
    " {\"name\": \"shape-environment(GUARDED)\", \"reason\": \"to mark commands\"}]}";

addon_text addon_register(void) { return TEXT(registration); }

addon_decision addon_handle(uint32_t handler, addon_text event, addon_text payload) {
    (void)event;
    addon_text env = TEXT("\"env\":{"), mark = TEXT("\"GUARDED\":\"1\",");
    size_t inside = find(payload, env) + env.length;
    switch (handler) {
    case GATE:
        if (has(payload, TEXT("rm -rf"))) return stopped(TEXT("rm -rf is not allowed here"));
        return unchanged();
    case ENVIRONMENT:
        if (inside >= payload.length) return unchanged();
        if (payload.at[inside] == '}') mark.length--; /* no comma: there is no other variable */
        return changed(put(payload, inside, inside, mark));
    default:
        return unchanged();
    }
}

addon_decision addon_enter(uint32_t handler, addon_text tool, addon_text call, addon_text args) {
    (void)handler, (void)tool, (void)call;
    addon_text sudo = TEXT("sudo ");
    if (has(args, TEXT("shutdown"))) return stopped(TEXT("this machine stays up"));
    if (!has(args, sudo)) return unchanged();
    size_t at = find(args, sudo);
    return changed(put(args, at, at + sudo.length, TEXT("")));
}

static bool is_key(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

addon_decision addon_leave(uint32_t handler, addon_text tool, addon_text call, addon_text args,
                          addon_text answer, addon_text error) {
    (void)handler, (void)tool, (void)call, (void)args, (void)error;
    addon_text key = TEXT("sk-"), gone = TEXT("[gone]");
    addon_draft fresh = draft(2 * answer.length + gone.length);
    size_t done = 0, at = 0;
    while (at < answer.length) {
        size_t end = at;
        if (starts(answer, at, key))
            while (end < answer.length && is_key(answer.at[end])) end++;
        if (end - at >= 12) {
            add(&fresh, piece(answer, done, at));
            add(&fresh, gone);
            done = at = end;
        } else {
            at++;
        }
    }
    if (done == 0) return unchanged();
    add(&fresh, piece(answer, done, answer.length));
    return changed(text_of(fresh));
}

addon_command_answer addon_command(addon_text name, addon_text args, addon_text cwd) {
    (void)name, (void)cwd;
    addon_draft words = draft(args.length + 7);
    add(&words, TEXT("hello, "));
    add(&words, args);
    addon_reply reply;
    host_send_message(words.at, words.length, &reply);
    if (reply.tag != REPLY_DONE) return (addon_command_answer){1, 0, reply.text};
    return (addon_command_answer){0, 1, TEXT("greeted")};
}

addon_tool_answer addon_call_tool(addon_text name, addon_text call, addon_text args) {
    (void)name, (void)call;
    addon_text key = TEXT("\"text\":\"");
    uint32_t words = 0;
    bool inside = false;
    for (size_t i = find(args, key) + key.length; i < args.length && args.at[i] != '"'; i++) {
        bool space = args.at[i] == ' ';
        if (args.at[i] == '\\') {
            i++;
            space = args.at[i] == 'n' || args.at[i] == 't';
        }
        if (!space && !inside) words++;
        inside = !space;
    }
    char *digits = addon_new(10, 1);
    size_t at = 10;
    do {
        digits[--at] = (char)('0' + words % 10);
        words /= 10;
    } while (words > 0);
    return (addon_tool_answer){{digits + at, 10 - at}, false};
}

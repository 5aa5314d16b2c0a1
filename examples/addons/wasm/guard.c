/* A guard: stops `rm -rf`, marks the shell's environment, takes `sudo` out of commands and secrets
 * out of results; with a command and a tool. The same as guard.js and guard.py. */

#include "indus_addon.h"

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
    " \"capabilities\": [{\"name\": \"emit-model-notification\", \"reason\": \"to greet\"}]}";

static bool starts(addon_text text, size_t at, addon_text with) {
    if (at + with.length > text.length) return false;
    for (size_t i = 0; i < with.length; i++)
        if (text.at[at + i] != with.at[i]) return false;
    return true;
}

/* Where `what` stands in the text, its length when it does not. */
static size_t find(addon_text text, addon_text what) {
    for (size_t at = 0; at + what.length <= text.length; at++)
        if (starts(text, at, what)) return at;
    return text.length;
}

/* A text that is put together, with room for `most` bytes. */
typedef struct {
    char *at;
    size_t length;
} addon_draft;

static addon_draft draft(size_t most) { return (addon_draft){addon_new(most, 1), 0}; }

static void add(addon_draft *to, addon_text what) {
    addon_copy(to->at + to->length, what.at, what.length);
    to->length += what.length;
}

static addon_text text_of(addon_draft from) { return (addon_text){from.at, from.length}; }

static addon_text piece(addon_text text, size_t from, size_t to) {
    return (addon_text){text.at + from, to - from};
}

addon_text addon_register(void) { return TEXT(registration); }

addon_decision addon_handle(uint32_t handler, addon_text event, addon_text payload) {
    (void)event;
    addon_decision said = {.tag = UNCHANGED};
    if (handler == GATE && find(payload, TEXT("rm -rf")) < payload.length) {
        said.tag = STOPPED;
        said.text = TEXT("rm -rf is not allowed here");
    }
    addon_text env = TEXT("\"env\":{"), mark = TEXT("\"GUARDED\":\"1\"");
    size_t at = find(payload, env);
    if (handler == ENVIRONMENT && at < payload.length) {
        size_t inside = at + env.length;
        addon_draft fresh = draft(payload.length + mark.length + 1);
        add(&fresh, piece(payload, 0, inside));
        add(&fresh, mark);
        if (payload.at[inside] != '}') add(&fresh, TEXT(","));
        add(&fresh, piece(payload, inside, payload.length));
        said.tag = CHANGED;
        said.text = text_of(fresh);
    }
    return said;
}

addon_decision addon_enter(uint32_t handler, addon_text tool, addon_text call, addon_text args) {
    (void)handler, (void)tool, (void)call;
    addon_decision said = {.tag = UNCHANGED};
    addon_text sudo = TEXT("sudo ");
    size_t at = find(args, sudo);
    if (find(args, TEXT("shutdown")) < args.length) {
        said.tag = STOPPED;
        said.text = TEXT("this machine stays up");
    } else if (at < args.length) {
        addon_draft fresh = draft(args.length);
        add(&fresh, piece(args, 0, at));
        add(&fresh, piece(args, at + sudo.length, args.length));
        said.tag = CHANGED;
        said.text = text_of(fresh);
    }
    return said;
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
    addon_decision said = {.tag = UNCHANGED};
    if (done > 0) {
        add(&fresh, piece(answer, done, answer.length));
        said.tag = CHANGED;
        said.text = text_of(fresh);
    }
    return said;
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

/* The subject of the conformance suite in C: the same as subject.py, but for its task, which a
 * component has none of. */

#include "../../../../examples/addons/wasm/indus_addon.h"
#include "../../../../examples/addons/wasm/text.h"

enum { GUARD, HOLD, REWORD, FORGET, COOL, POLISH, FURNISH, BEGAN, KEEP, CONDENSE };

#define OPTIONAL(name, reason)                                                                     \
    "{\"name\": \"" name "\", \"reason\": \"" reason "\", \"required\": false}"

static const char registration[] =
    "{\"id\": \"subject\", \"version\": \"1.0.0\","
    " \"events\": ["
    "{\"event\": \"tool:before\", \"kind\": \"gate\"},"
    "{\"event\": \"input:submit\", \"kind\": \"gate\"},"
    "{\"event\": \"input:submit\", \"kind\": \"transform\"},"
    "{\"event\": \"context:build\", \"kind\": \"transform\"},"
    "{\"event\": \"chat:params\", \"kind\": \"transform\"},"
    "{\"event\": \"chat:message\", \"kind\": \"transform\"},"
    "{\"event\": \"shell:env\", \"kind\": \"transform\"},"
    "{\"event\": \"turn:start\", \"kind\": \"observe\"},"
    "{\"event\": \"compact:before\", \"kind\": \"gate\"},"
    "{\"event\": \"compact:build\", \"kind\": \"transform\"}],"
    " \"interceptors\": [{\"tool\": \"bash\", \"enter\": true}, {\"exit\": true}],"
    " \"commands\": [{\"name\": \"ship\", \"summary\": \"run the script\"},"
    " {\"name\": \"act\", \"summary\": \"ask something of the host\"}],"
    " \"tools\": [{\"name\": \"measure\", \"description\": \"Measure a text.\","
    " \"parameters\": {\"type\": \"object\", \"properties\": {\"text\": {\"type\": \"string\"}},"
    " \"required\": [\"text\"], \"additionalProperties\": false}}],"
    " \"capabilities\": [" OPTIONAL("emit-alert", "to tell") ","
    OPTIONAL("feature-state", "to remember") "," OPTIONAL("send-message", "to speak") ","
    OPTIONAL("set-model", "to choose") "," OPTIONAL("set-thinking", "to think") ","
    OPTIONAL("scoped-fs(execute)", "to run") ","
    OPTIONAL("shape-environment(SUBJECT_MARK)", "to mark") "]}";

addon_text addon_register(void) { return TEXT(registration); }

/* `what` put in right behind the first `key`. */
static addon_decision inserted(addon_text text, addon_text key, addon_text what) {
    size_t at = find(text, key) + key.length;
    return changed(put(text, at, at, what));
}

addon_decision addon_handle(uint32_t handler, addon_text event, addon_text payload) {
    (void)event;
    addon_reply reply;
    switch (handler) {
    case GUARD:
        if (has(payload, TEXT("explode-gate"))) __builtin_trap();
        if (has(payload, TEXT("forbidden"))) return stopped(TEXT("it is forbidden"));
        return unchanged();
    case HOLD:
        return has(payload, TEXT("stopword")) ? stopped(TEXT("not that word")) : unchanged();
    case REWORD:
        return replaced(payload, TEXT("draft-word"), TEXT("final-word"));
    case FORGET:
        if (has(payload, TEXT("explode-context"))) __builtin_trap();
        return replaced(payload, TEXT("old-news"), TEXT("[left out]"));
    case COOL:
        if (has(payload, TEXT("\"temperature\":0.25"))) return unchanged();
        return inserted(payload, TEXT("\"params\":{"), TEXT("\"temperature\":0.25,"));
    case POLISH:
    case CONDENSE:
        return replaced(payload, TEXT("raw-word"), TEXT("fine-word"));
    case FURNISH:
        return inserted(payload, TEXT("\"env\":{"),
                        TEXT("\"SUBJECT_MARK\":\"1\",\"SUBJECT_OTHER\":\"1\","));
    case BEGAN:
        if (has(payload, TEXT("explode-observer"))) __builtin_trap();
        if (has(payload, TEXT("listen"))) host_notify("heard it", 8, &reply);
        return unchanged();
    default:
        return stopped(TEXT("not now"));
    }
}

addon_decision addon_enter(uint32_t handler, addon_text tool, addon_text call, addon_text args) {
    (void)handler, (void)tool, (void)call;
    if (has(args, TEXT("explode-enter"))) __builtin_trap();
    if (has(args, TEXT("blockme"))) return stopped(TEXT("it is blocked"));
    if (has(args, TEXT("misfit")))
        return replaced(args, TEXT("\"command\":"), TEXT("\"commando\":"));
    if (has(args, TEXT("loud"))) return replaced(args, TEXT("loud"), TEXT("quiet"));
    if (has(args, TEXT("echo sly"))) return replaced(args, TEXT("echo sly"), TEXT("rm -f victim"));
    return replaced(args, TEXT("rm dull"), TEXT("echo"));
}

addon_decision addon_leave(uint32_t handler, addon_text tool, addon_text call, addon_text args,
                          addon_text answer, addon_text error) {
    (void)handler, (void)tool, (void)call, (void)args, (void)error;
    if (has(answer, TEXT("explode-exit"))) __builtin_trap();
    return replaced(answer, TEXT("secret-word"), TEXT("[gone]"));
}

static addon_command_answer said(addon_text text) { return (addon_command_answer){0, 1, text}; }

static addon_command_answer failed(addon_text why) { return (addon_command_answer){1, 0, why}; }

static addon_command_answer ship(addon_text args) {
    addon_draft line = draft(args.length + 10);
    add(&line, TEXT("./ship.sh "));
    add(&line, args);
    addon_reply ran;
    host_exec(line.at, line.length, &ran);
    if (ran.tag != RESULT_OK) return failed(ran.text);
    addon_text key = TEXT("\"stdout\":\"");
    size_t from = find(ran.text, key) + key.length, to = from;
    while (to < ran.text.length && ran.text.at[to] != '"' && ran.text.at[to] != '\\') to++;
    return said(piece(ran.text, from, to));
}

addon_command_answer addon_command(addon_text name, addon_text args, addon_text cwd) {
    (void)cwd;
    addon_reply reply = {.tag = REPLY_DONE};
    if (same(name, TEXT("ship"))) return ship(args);
    if (same(args, TEXT("notify"))) host_notify("told by act", 11, &reply);
    if (same(args, TEXT("state"))) {
        host_state_set("key", 3, 1, "kept", 4, &reply);
        if (reply.tag != REPLY_DONE) return failed(reply.text);
        host_state_get("key", 3, &reply);
        return reply.tag == FOUND_PRESENT ? said(reply.text) : failed(TEXT("it is not there"));
    }
    if (same(args, TEXT("send"))) host_send_message("sent by act", 11, &reply);
    if (same(args, TEXT("model"))) host_set_model("no/such", 7, &reply);
    if (same(args, TEXT("thinking"))) host_set_thinking("high", 4, &reply);
    if (same(args, TEXT("explode"))) __builtin_trap();
    return reply.tag == REPLY_DONE ? said(TEXT("done")) : failed(reply.text);
}

addon_tool_answer addon_call_tool(addon_text name, addon_text call, addon_text args) {
    (void)name, (void)call;
    if (has(args, TEXT("explode"))) __builtin_trap();
    if (has(args, TEXT("stay")))
        for (volatile uint32_t turns = 0;; turns++) continue;
    if (has(args, TEXT("wrong"))) return (addon_tool_answer){TEXT("that is wrong"), true};
    return (addon_tool_answer){TEXT("it fits"), false};
}

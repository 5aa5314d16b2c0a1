/* An interceptor: what looks like an AWS key never reaches the model. */

#include "../wasm/indus_addon.h"
#include "../wasm/text.h"

enum { LENGTH = 20 };

addon_text addon_register(void) {
    return TEXT("{\"id\": \"redactor\", \"version\": \"1.0.0\", \"interceptors\": [{\"exit\": true}]}");
}

static bool in_key(char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

static bool in_word(char c) { return in_key(c) || (c >= 'a' && c <= 'z') || c == '_'; }

static bool is_key(addon_text text, size_t at) {
    if (!starts(text, at, TEXT("AKIA")) && !starts(text, at, TEXT("ASIA"))) return false;
    if (at > 0 && in_word(text.at[at - 1])) return false;
    if (at + LENGTH > text.length) return false;
    for (size_t i = at; i < at + LENGTH; i++)
        if (!in_key(text.at[i])) return false;
    return at + LENGTH == text.length || !in_word(text.at[at + LENGTH]);
}

addon_decision addon_leave(uint32_t handler, addon_text tool, addon_text call, addon_text args,
                          addon_text answer, addon_text error) {
    (void)handler, (void)tool, (void)call, (void)args, (void)error;
    addon_draft fresh = draft(answer.length); /* what is put in is shorter than a key */
    size_t done = 0;
    for (size_t at = 0; at < answer.length; at++) {
        if (!is_key(answer, at)) continue;
        add(&fresh, piece(answer, done, at));
        add(&fresh, TEXT("[an AWS key]"));
        done = at + LENGTH;
        at = done - 1;
    }
    if (done == 0) return unchanged();
    add(&fresh, piece(answer, done, answer.length));
    return changed(text_of(fresh));
}

addon_decision addon_handle(uint32_t handler, addon_text event, addon_text payload) {
    (void)handler, (void)event, (void)payload;
    return unchanged();
}

addon_decision addon_enter(uint32_t handler, addon_text tool, addon_text call, addon_text args) {
    (void)handler, (void)tool, (void)call, (void)args;
    return unchanged();
}

addon_command_answer addon_command(addon_text name, addon_text args, addon_text cwd) {
    (void)name, (void)args, (void)cwd;
    return (addon_command_answer){0, 0, TEXT("")};
}

addon_tool_answer addon_call_tool(addon_text name, addon_text call, addon_text args) {
    (void)name, (void)call, (void)args;
    return (addon_tool_answer){TEXT(""), true};
}

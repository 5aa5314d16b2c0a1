/* A tool for the model: the lines of this project that hold a mark. A component reads no files: it
 * asks the host to run grep, which passes the permissions of the session. */

#include "../wasm/indus_addon.h"
#include "../wasm/text.h"

addon_text addon_register(void) {
    return TEXT(
        "{\"id\": \"project-tool\", \"version\": \"1.0.0\","
        " \"description\": \"Finds what is left to do in this project.\","
        " \"tools\": [{\"name\": \"find_marks\", \"description\":"
        " \"List the lines of this project that hold a mark, with file and line number.\","
        " \"parameters\": {\"type\": \"object\", \"required\": [\"mark\"],"
        " \"additionalProperties\": false, \"properties\": {\"mark\": {\"type\": \"string\","
        " \"pattern\": \"^[A-Za-z0-9_]+$\", \"description\": \"for example TODO or FIXME\"}}}}],"
        " \"capabilities\": [{\"name\": \"scoped-fs(execute)\","
        " \"reason\": \"to run grep in the project\"}]}");
}

static bool in_mark(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The value of the first member `key` of a JSON text, as it is written there. */
static addon_text member(addon_text json, addon_text key) {
    size_t from = find(json, key) + key.length, to = from;
    while (to < json.length && (json.at[to] != '"' || json.at[to - 1] == '\\')) to++;
    return piece(json, from, to);
}

/* A JSON string without its escapes, as far as grep's output needs it. */
static addon_text plain(addon_text written) {
    addon_draft fresh = draft(written.length);
    for (size_t i = 0; i < written.length; i++) {
        char c = written.at[i];
        if (c == '\\' && i + 1 < written.length) {
            c = written.at[++i];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }
        add(&fresh, (addon_text){&c, 1});
    }
    while (fresh.length > 0 && fresh.at[fresh.length - 1] == '\n') fresh.length--;
    return text_of(fresh);
}

addon_tool_answer addon_call_tool(addon_text name, addon_text call, addon_text args) {
    (void)name, (void)call;
    addon_text mark = member(args, TEXT("\"mark\":\""));
    for (size_t i = 0; i < mark.length; i++)
        if (!in_mark(mark.at[i])) return (addon_tool_answer){TEXT("that is no mark"), true};
    addon_draft line = draft(mark.length + 60);
    add(&line, TEXT("grep -rnIw --exclude-dir='.?*' -e "));
    add(&line, mark);
    add(&line, TEXT(" ."));
    addon_reply ran;
    host_exec(line.at, line.length, &ran);
    if (ran.tag != RESULT_OK) return (addon_tool_answer){ran.text, true};
    addon_text found = plain(member(ran.text, TEXT("\"stdout\":\"")));
    if (found.length > 0) return (addon_tool_answer){found, false};
    addon_draft none = draft(mark.length + 14);
    add(&none, TEXT("no line holds "));
    add(&none, mark);
    return (addon_tool_answer){text_of(none), false};
}

addon_decision addon_handle(uint32_t handler, addon_text event, addon_text payload) {
    (void)handler, (void)event, (void)payload;
    return unchanged();
}

addon_decision addon_enter(uint32_t handler, addon_text tool, addon_text call, addon_text args) {
    (void)handler, (void)tool, (void)call, (void)args;
    return unchanged();
}

addon_decision addon_leave(uint32_t handler, addon_text tool, addon_text call, addon_text args,
                          addon_text answer, addon_text error) {
    (void)handler, (void)tool, (void)call, (void)args, (void)answer, (void)error;
    return unchanged();
}

addon_command_answer addon_command(addon_text name, addon_text args, addon_text cwd) {
    (void)name, (void)args, (void)cwd;
    return (addon_command_answer){0, 0, TEXT("")};
}

/* A gate: no force push, whoever asks for it. */

#include "../wasm/indus_addon.h"
#include "../wasm/text.h"

addon_text addon_register(void) {
    return TEXT("{\"id\": \"safety\", \"version\": \"1.0.0\", \"events\": ["
                "{\"event\": \"tool:before\", \"kind\": \"gate\", \"tool\": \"bash\"}]}");
}

addon_decision addon_handle(uint32_t handler, addon_text event, addon_text payload) {
    (void)handler, (void)event;
    if (has(payload, TEXT("push --force"))) return stopped(TEXT("no force push from here"));
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

addon_tool_answer addon_call_tool(addon_text name, addon_text call, addon_text args) {
    (void)name, (void)call, (void)args;
    return (addon_tool_answer){TEXT(""), true};
}

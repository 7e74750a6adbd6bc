/** Every token of a strategy's webhook begins with it, so that people and filters recognise one. */
export const TOKEN_PREFIX = 'svc_hook_'

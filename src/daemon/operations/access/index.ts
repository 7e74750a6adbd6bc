import { API_KEY_OPERATIONS } from './api-key.js'
import { LOGIN_ACTIVITY_OPERATIONS } from './login-activity.js'
import { PASSWORD_RESET_OPERATIONS } from './password-reset.js'
import { PASSWORD_OPERATIONS } from './passwords.js'
import { SECOND_FACTOR_OPERATIONS } from './second-factor.js'
import { SESSION_OPERATIONS } from './sessions.js'
import { SETUP_OPERATIONS } from './setup.js'
import { SIGN_IN_OPERATIONS } from './sign-in.js'
import { TOKEN_OPERATIONS } from './tokens.js'

/** Set-up, sessions, tokens and the API key (docs/api.md, "Set-up, sessions, tokens, keys"). */
export const ACCESS_OPERATIONS = {
  ...SETUP_OPERATIONS,
  ...SIGN_IN_OPERATIONS,
  ...SECOND_FACTOR_OPERATIONS,
  ...SESSION_OPERATIONS,
  ...PASSWORD_OPERATIONS,
  ...PASSWORD_RESET_OPERATIONS,
  ...LOGIN_ACTIVITY_OPERATIONS,
  ...TOKEN_OPERATIONS,
  ...API_KEY_OPERATIONS,
}

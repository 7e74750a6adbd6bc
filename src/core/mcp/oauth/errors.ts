import { type ErrorCode, ServiceError } from '../../errors/index.js'

/** The errors of RFC 6749, 7591, 7009 and 8707 that this service uses, and its own kind of error for each. */
const KINDS = {
  invalid_request: 'validation',
  invalid_client: 'unauthenticated',
  unauthorized_client: 'forbidden',
  invalid_grant: 'validation',
  invalid_scope: 'validation',
  invalid_target: 'validation',
  unsupported_grant_type: 'validation',
  unsupported_response_type: 'validation',
  invalid_client_metadata: 'validation',
  invalid_redirect_uri: 'validation',
} as const satisfies Record<string, ErrorCode>

export type OAuthErrorCode = keyof typeof KINDS

/** Returns an error with the members that OAuth clients read. */
export function oauthError(
  error: OAuthErrorCode,
  description: string,
  code: ErrorCode = KINDS[error],
): ServiceError {
  return new ServiceError(code, description, { extra: { error, error_description: description } })
}

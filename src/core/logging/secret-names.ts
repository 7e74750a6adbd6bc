const MAX_KNOWN = 2000

/** Field names (lower case, letters and digits only) that always have a secret value. */
const SECRET_NAMES = new Set([
  '2fa',
  'auth',
  'cookies',
  'credential',
  'credentials',
  'csrf',
  'fernetsalt',
  'jwt',
  'mfacode',
  'mpin',
  'otp',
  'otpcode',
  'pass',
  'pepper',
  'pin',
  'qr',
  'qrcode',
  'sessionid',
  'sessionkey',
  'session',
  'setcookie',
  'smtppass',
  'totp',
  'totpcode',
  'ticket',
  'twofa',
  'twofacode',
  'twofavalue',
  'userpass',
  'verificationcode',
  'wsticket',
])

/** A field name that contains one of these is secret. */
const SECRET_PARTS = [
  'apikey',
  'appkey',
  'authcode',
  'authorization',
  'cookie',
  'csrftoken',
  'encryptionkey',
  'otpauth',
  'passcode',
  'passphrase',
  'passwd',
  'password',
  'pepper',
  'privatekey',
  'provisioninguri',
  'pwd',
  'recoverycode',
  'secret',
  'token',
]

/** Names that contain a secret word but have no secret value. */
const HARMLESS_NAMES = new Set(['tokentype', 'instrumenttoken', 'apikeyid', 'tokenid'])

/** Names of fields that have either a secret, or a date or number. */
const AMBIGUOUS_NAME = /(?:session|ticket)$/i
const LONG_RANDOM = /^[\w.~+/=%-]{16,}$/

const known = new Map<string, boolean>()

/** Returns whether a field with this name has a secret value. */
export function isSecretName(name: string): boolean {
  const judged = known.get(name)
  if (judged !== undefined) return judged
  const bare = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const secret =
    SECRET_NAMES.has(bare) || (!HARMLESS_NAMES.has(bare) && SECRET_PARTS.some((part) => bare.includes(part)))
  if (known.size < MAX_KNOWN) known.set(name, secret)
  return secret
}

/**
 * Returns whether a value in a secret field cannot be a secret: it is absent, a boolean, a short number that
 * a broker calls a token, or a description of a session or ticket instead of its key.
 */
export function isPlainValue(name: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean' || value === '') return true
  if (AMBIGUOUS_NAME.test(name)) return typeof value !== 'string' || !LONG_RANDOM.test(value)
  return name.toLowerCase() === 'token' && /^\d{1,9}$/.test(String(value))
}

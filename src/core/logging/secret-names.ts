const MAX_KNOWN = 2000

/** Member names (letters and digits only, lower case) that always hold a secret. */
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

/** Parts of member names that make them secret. */
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

/** Names that contain a secret's word and hold none. */
const HARMLESS_NAMES = new Set(['tokentype', 'instrumenttoken', 'apikeyid', 'tokenid'])

/** Names under which stand a date or a number as often as what opens something. */
const TELLING_NAME = /(?:session|ticket)$/i
const LONG_RANDOM = /^[\w.~+/=%-]{16,}$/

const known = new Map<string, boolean>()

/** Whether a member of this name holds a secret. */
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
 * Whether a value under a secret's name cannot be one: absent, yes or no, the short numbers brokers call tokens, and a
 * session or ticket that is described rather than opened.
 */
export function isPlainValue(name: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean' || value === '') return true
  if (TELLING_NAME.test(name)) return typeof value !== 'string' || !LONG_RANDOM.test(value)
  return name.toLowerCase() === 'token' && /^\d{1,9}$/.test(String(value))
}

export { hmacHex, keyedDigest, safeEqual, sha256Hex } from './digest.js'
export { randomBase32, randomHex, randomToken } from './random.js'
export { SecretBox } from './secret-box.js'
export { checkSignature, type MessageHeaders } from './signed-message.js'

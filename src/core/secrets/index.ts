export { hmacHex, safeEqual, sha256Hex } from './digest.js'
export { randomBase32, randomHex, randomToken } from './random.js'
export { SecretBox } from './secret-box.js'

/** Why no message can be sent by WhatsApp, as clients of the public API know it. */
export const NOT_PAIRED =
  'WhatsApp is not paired or not connected. Pair the device first from the /whatsapp page in svc before sending.'

/** Returns the 7 to 15 digits of a phone number; undefined for any other value. */
export function digitsOf(phone: string | number): string | undefined {
  const digits = String(phone).replaceAll(/\D/g, '')
  return digits.length >= 7 && digits.length <= 15 ? digits : undefined
}

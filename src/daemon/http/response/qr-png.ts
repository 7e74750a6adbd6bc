import { crc32, deflateSync } from 'node:zlib'

/** The error correction level L, as on the terminal: 7 % of the code may be unreadable. */
const LEVEL_L = 1
/** The smallest version that the text fits into. */
const AUTOMATIC = -1
const PIXELS_PER_MODULE = 6
/** The white margin that a scanner needs around the code. */
const MARGIN_MODULES = 4
const PNG_SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const ONE_BIT_GREY = Uint8Array.of(1, 0, 0, 0, 0)
/** Each row of a PNG begins with the number of its filter. */
const NO_FILTER = 0

/** Returns a text as a QR code, as a PNG image. */
export async function qrPng(text: string): Promise<Buffer> {
  // Few starts of the daemon need it, and its tables take 5 ms.
  const { default: QRCode } = await import('qrcode-terminal/vendor/QRCode/index.js')
  const code = new QRCode(AUTOMATIC, LEVEL_L)
  code.addData(text)
  code.make()
  const modules = code.getModuleCount()
  const isDark = (row: number, column: number) =>
    Math.min(row, column) >= 0 && Math.max(row, column) < modules && code.isDark(row, column)
  const moduleAt = (pixel: number) => Math.floor(pixel / PIXELS_PER_MODULE) - MARGIN_MODULES
  const size = (modules + 2 * MARGIN_MODULES) * PIXELS_PER_MODULE
  return monochromePng(size, (x, y) => isDark(moduleAt(y), moduleAt(x)))
}

function monochromePng(size: number, isBlack: (x: number, y: number) => boolean): Buffer {
  const rowBytes = 1 + Math.ceil(size / 8)
  const rows = new Uint8Array(size * rowBytes).fill(0xff)
  for (let y = 0; y < size; y++) {
    const start = y * rowBytes
    rows[start] = NO_FILTER
    for (let x = 0; x < size; x++) {
      const at = start + 1 + (x >> 3)
      if (isBlack(x, y)) rows[at] = (rows[at] ?? 0) & ~(0x80 >> (x & 7))
    }
  }
  const header = Buffer.concat([uint32(size), uint32(size), ONE_BIT_GREY])
  return Buffer.concat([
    PNG_SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

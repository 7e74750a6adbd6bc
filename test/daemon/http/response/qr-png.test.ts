import { crc32, inflateSync } from 'node:zlib'
import qrcode from 'qrcode-terminal'
import { expect, it } from 'vitest'
import { qrPng } from '../../../../src/daemon/http/response/qr-png.js'

const PIXELS = 6
const MARGIN = 4
const URI = 'otpauth://totp/svc:asha%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=svc'

/** Returns the chunks of a PNG by type, after a check of their sums. */
function chunksOf(png: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const body = png.subarray(at + 4, at + 8 + length)
    expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(body))
    chunks.set(body.toString('latin1', 0, 4), body.subarray(4))
    at += 12 + length
  }
  return chunks
}

/** Returns the modules as the terminal shows them: two spaces on black or on white for each. */
function drawn(text: string): string[] {
  let drawing = ''
  qrcode.generate(text, { small: false }, (shown) => {
    drawing = shown
  })
  // Black is background color 40, white 47. The drawing has a border of one module.
  const lines = drawing.split('\n').slice(1, -1)
  return lines.map((line) =>
    line
      .split('  ')
      .slice(1, -2)
      .map((cell) => (cell.endsWith('[40m') ? '#' : '.'))
      .join(''),
  )
}

it('is an image of the modules that the terminal shows, with a white margin', async () => {
  const png = await qrPng(URI)
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
  const chunks = chunksOf(png)
  expect([...chunks.keys()]).toEqual(['IHDR', 'IDAT', 'IEND'])
  const header = chunks.get('IHDR') ?? Buffer.alloc(13)
  const size = header.readUInt32BE(0)
  expect([header.readUInt32BE(4), ...header.subarray(8)]).toEqual([size, 1, 0, 0, 0, 0])
  const rows = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0))
  const rowBytes = 1 + Math.ceil(size / 8)
  expect(rows).toHaveLength(size * rowBytes)
  const pixel = (x: number, y: number) => ((rows[y * rowBytes + 1 + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1
  const modules = drawn(URI)
  expect(size).toBe((modules.length + 2 * MARGIN) * PIXELS)
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const [row, column] = [Math.floor(y / PIXELS) - MARGIN, Math.floor(x / PIXELS) - MARGIN]
      const black = modules[row]?.[column] === '#'
      if (pixel(x, y) !== (black ? 0 : 1))
        expect.fail(`pixel ${x},${y} should be ${black ? 'black' : 'white'}`)
    }
  }
})

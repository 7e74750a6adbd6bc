import { expect, it } from 'vitest'
import { FrameReader } from '../../../../../src/core/brokers/kit/frames/frame-reader.js'

const BYTES = Uint8Array.from([0x80, 1, 2, 3, 4, 5, 6, 7, 0x41, 0x42, 0, 0x43])

it('reads whole numbers of both byte orders', () => {
  const big = new FrameReader(BYTES, 'big')
  const little = new FrameReader(BYTES, 'little')
  expect([big.u8(0), big.u16(0), big.u32(0), big.i32(0)]).toEqual([0x80, 0x8001, 0x80010203, -0x7ffefdfd])
  expect([little.u16(0), little.u32(1), little.i32(1)]).toEqual([0x0180, 0x04030201, 0x04030201])
})

it('reads a sum without a sign, and one that no day reaches as the number below zero that it was', () => {
  const view = new DataView(new ArrayBuffer(4))
  const read = (value: number) => {
    view.setUint32(0, value, true)
    return new FrameReader(new Uint8Array(view.buffer), 'little').sum32(0)
  }
  expect([0, 3_000_000_000, 4_000_000_000].map(read)).toEqual([0, 3_000_000_000, 4_000_000_000])
  expect([0xffff_ffff, 0xffff_0000, 2 ** 32 - 250_000].map(read)).toEqual([-1, -65_536, -250_000])
})

it('reads whole numbers of 64 bits, and refuses one that a number cannot hold exactly', () => {
  const view = new DataView(new ArrayBuffer(16))
  view.setBigInt64(0, -1_700_000_000_123n, true)
  view.setBigInt64(8, 2n ** 60n, true)
  const frame = new FrameReader(new Uint8Array(view.buffer), 'little')
  expect(frame.i64(0)).toBe(-1_700_000_000_123)
  expect(() => frame.i64(8)).toThrow('too large')
})

it('reads broken numbers', () => {
  const view = new DataView(new ArrayBuffer(12))
  view.setFloat32(0, 1.5, true)
  view.setFloat64(4, 2.25, true)
  const frame = new FrameReader(new Uint8Array(view.buffer), 'little')
  expect([frame.f32(0), frame.f64(4)]).toEqual([1.5, 2.25])
})

it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
  'refuses %d as a broken number',
  (value) => {
    const view = new DataView(new ArrayBuffer(12))
    view.setFloat32(0, value, true)
    view.setFloat64(4, value, true)
    const frame = new FrameReader(new Uint8Array(view.buffer), 'little')
    expect(() => frame.f32(0)).toThrow('no number')
    expect(() => frame.f64(4)).toThrow('no number')
  },
)

it('reads a text up to its first zero, or to the end of its field', () => {
  const frame = new FrameReader(BYTES, 'big')
  expect([frame.text(8, 4), frame.text(8, 2)]).toEqual(['AB', 'AB'])
})

it('refuses every read beyond the frame, and beyond a part of it', () => {
  const frame = new FrameReader(BYTES.subarray(0, 6), 'big')
  const part = frame.part(1, 4)
  expect([part.length, part.u32(0)]).toEqual([4, 0x01020304])
  for (const read of [
    () => frame.u32(3),
    () => frame.u8(-1),
    () => part.u8(4),
    () => frame.text(0, 7),
    () => frame.part(4, 4),
  ]) {
    expect(read).toThrow(expect.objectContaining({ kind: 'protocol' }))
  }
})

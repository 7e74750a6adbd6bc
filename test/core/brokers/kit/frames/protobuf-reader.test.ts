import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BrokerError } from '../../../../../src/core/brokers/broker.js'
import { ProtobufReader } from '../../../../../src/core/brokers/kit/frames/protobuf-reader.js'
import {
  bytesField,
  doubleField,
  intField,
  message,
  varint,
} from '../../../../fixtures/fake-broker/protobuf-writer.js'
import { rounds } from '../../../../support/chance/chance.js'

/** Reads all that there is, as deep as it looks like messages, as a reader with a schema would. */
function readAll(bytes: Uint8Array, depth = 0): number {
  const reader = new ProtobufReader(bytes)
  let fields = 0
  for (let field = reader.next(); field !== undefined; field = reader.next()) {
    fields += 1
    if (field === 1) reader.double()
    else if (field === 2) reader.int()
    else if (field === 3) reader.text()
    else if (field === 4 && depth < 4) reader.next()
  }
  return fields
}

describe('a reader of protocol buffers', () => {
  it('reads the fields of a message in the order in which they were sent', () => {
    // The example of the format: field 1 is 150, field 2 is "testing".
    const reader = new ProtobufReader(
      Uint8Array.from([0x08, 0x96, 0x01, 0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67]),
    )
    expect([reader.next(), reader.int()]).toEqual([1, 150])
    expect([reader.next(), reader.text()]).toEqual([2, 'testing'])
    expect(reader.next()).toBeUndefined()
    expect(reader.next()).toBeUndefined()
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses %d as a broken number', (value) => {
    const reader = new ProtobufReader(message(doubleField(1, value)))
    reader.next()
    expect(() => reader.double()).toThrow('no number')
  })

  it('reads broken numbers, and messages within messages', () => {
    const reader = new ProtobufReader(
      message(bytesField(3, message(doubleField(1, 1500.05), intField(2, 7)))),
    )
    expect(reader.next()).toBe(3)
    const inner = reader.message()
    expect([inner.next(), inner.double(), inner.next(), inner.int(), inner.next()]).toEqual([
      ...[1, 1500.05],
      ...[2, 7, undefined],
    ])
  })

  it.each([
    0,
    1,
    127,
    128,
    300,
    2 ** 31,
    1_764_401_400_123,
    2 ** 49 - 1,
    2 ** 49,
    2 ** 53 - 1,
    -1,
    -(2 ** 53) + 1,
  ])('reads the whole number %s', (value) => {
    const reader = new ProtobufReader(message(varint(8), varint(value)))
    expect([reader.next(), reader.int()]).toEqual([1, value])
  })

  it('refuses a whole number that a number cannot hold exactly', () => {
    const reader = new ProtobufReader(message(varint(8), varint(2n ** 60n)))
    reader.next()
    expect(() => reader.int()).toThrow('too large')
  })

  it('skips fields that nobody reads, of every way to write them', () => {
    const four = Uint8Array.from([(9 << 3) | 5, 1, 2, 3, 4])
    const reader = new ProtobufReader(
      message(
        intField(1, 5),
        doubleField(2, 1.5),
        bytesField(3, 'text'),
        four,
        intField(15, 2 ** 40),
        intField(4, 1),
      ),
    )
    const fields = [1, 2, 3, 9, 15, 4].map(() => reader.next())
    expect([...fields, reader.int(), reader.next()]).toEqual([1, 2, 3, 9, 15, 4, 1, undefined])
  })

  it.each([
    ['a number without its end', [0x08, 0x80]],
    ['a number longer than 64 bits', [0x08, ...Array.from({ length: 11 }, () => 0xff), 0]],
    ['a double that is cut off', [0x09, 0, 0, 0]],
    ['a text that is longer than the message', [0x12, 0x05, 0x41]],
    ['a length above what any message has', [0x12, 0xff, 0xff, 0xff, 0xff, 0x7f]],
    ['a negative length', [0x12, ...varint(-1)]],
    ['a group, which proto3 has not', [0x0b, 0x0c]],
    ['a field with the number 0', [0x00, 0x01]],
    ['a key without a value', [0x08]],
  ])('refuses %s', (_name, bytes) => {
    const read = () => {
      const reader = new ProtobufReader(Uint8Array.from(bytes))
      while (reader.next() !== undefined);
    }
    expect(read).toThrow(expect.objectContaining({ kind: 'protocol' }))
  })

  it('refuses a value that is written in another way than asked for, and one that is read twice', () => {
    const reader = new ProtobufReader(message(intField(1, 5), doubleField(2, 1)))
    reader.next()
    expect(() => reader.double()).toThrow('field 1')
    expect(() => reader.text()).toThrow('field 1')
    expect(reader.int()).toBe(5)
    expect(() => reader.int()).toThrow('field 1')
  })

  it('reads within its own message only', () => {
    const reader = new ProtobufReader(message(bytesField(1, Uint8Array.from([0x08])), intField(2, 9)))
    reader.next()
    const inner = reader.message()
    expect(inner.next()).toBe(1)
    expect(() => inner.int()).toThrow('ends within')
    expect([reader.next(), reader.int()]).toEqual([2, 9])
  })

  it('ends with what is there, or with a protocol error, whatever bytes arrive', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        try {
          expect(readAll(bytes)).toBeLessThanOrEqual(bytes.length)
        } catch (error) {
          expect(error).toBeInstanceOf(BrokerError)
        }
      }),
      { numRuns: rounds(500) },
    )
  })

  it('gives the fields before the place at which a message is cut off', () => {
    const whole = message(intField(1, 5), bytesField(3, 'ABCDEF'), doubleField(2, 2.5))
    for (let length = 2; length < whole.length; length++) {
      const reader = new ProtobufReader(whole.subarray(0, length))
      expect([reader.next(), reader.int()]).toEqual([1, 5])
    }
  })
})

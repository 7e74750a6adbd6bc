import { expect, it } from 'vitest'
import { BrokerError } from '../../../../../src/core/brokers/broker.js'
import { packetRead, UnreadableFrames } from '../../../../../src/core/brokers/kit/frames/unreadable-frames.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { recordingLogger } from '../../../logging/recording-logger.js'

it('tells of a flood of unreadable frames once a minute, with their number', async () => {
  const clock = new VirtualClock('2025-09-04T10:00:00+05:30')
  const log = recordingLogger()
  const frames = new UnreadableFrames(clock, log, 'feed.unreadable_frame')
  for (let times = 0; times < 1000; times++) frames.note('too short')
  expect(log.lines).toMatchObject([
    { event: 'feed.unreadable_frame', fields: { reason: 'too short', count: 1 } },
  ])
  await clock.advance(60_000)
  frames.note('too long')
  expect(log.lines.slice(1)).toMatchObject([{ fields: { reason: 'too long', count: 1000 } }])
})

it('leaves out a packet that cannot be read, and passes on a fault of the program', () => {
  const reasons: string[] = []
  const note = (reason: string) => reasons.push(reason)
  const read = (error: Error) =>
    packetRead(() => {
      throw error
    }, note)
  expect(packetRead(() => 7, note)).toBe(7)
  expect(read(new BrokerError('protocol', 'no price', { sent: 'yes' }))).toBeUndefined()
  expect(reasons).toEqual(['no price'])
  expect(() => read(new TypeError('a fault'))).toThrow('a fault')
})

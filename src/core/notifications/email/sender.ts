import { MailError, type Mailer } from '../../mail/index.js'
import { type Message, type Sender, SendFailure } from '../schema.js'

/** The faults of a message itself: a repeat fails too. */
const FINAL: readonly string[] = ['message']

/** Sends the messages of the queue as mail. */
export class MailSender implements Sender {
  readonly channel = 'email'

  constructor(private readonly parts: { mailer: Mailer; isReady: () => boolean }) {}

  isReady(): boolean {
    return this.parts.isReady()
  }

  async send({ address, body, subject }: Message): Promise<undefined> {
    try {
      await this.parts.mailer.send({ to: address, subject: subject ?? 'svc', text: `${body}\n` })
    } catch (error) {
      if (!(error instanceof MailError)) throw error
      throw new SendFailure(error.message, { isFinal: FINAL.includes(error.fault) || isPermanent(error) })
    }
  }
}

/** A server that refuses a recipient with a code of 500 and more refuses it again. */
function isPermanent({ cause, fault }: MailError): boolean {
  if (fault !== 'refused' || !(cause instanceof Error) || !('responseCode' in cause)) return false
  return typeof cause.responseCode === 'number' && cause.responseCode >= 500
}

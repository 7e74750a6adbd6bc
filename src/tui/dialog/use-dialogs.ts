import { useRef, useState } from 'react'
import { FORM_KEYS, type FormValues } from '../components/form/Form.js'
import { keysOfQuestion } from '../components/Question.js'
import type { KeyHelp } from '../keys/KeyLine.js'
import { messageOf } from '../live/message-of.js'
import { useDesk } from '../live/use-desk.js'
import { type Dialog, refusalText } from './dialog.js'

export interface Dialogs {
  /** The open question or form. */
  dialog: Dialog | undefined
  /** The refusal of the form's last attempt. */
  refusal: string | undefined
  /** The keys of the open question or form. */
  keys: readonly KeyHelp[] | undefined
  open(dialog: Dialog): void
  /** Opens a question whose facts the daemon must tell first. */
  openWhenRead(read: () => Promise<Dialog>): void
  close(): void
  /** Sends the change of the question. */
  confirm(): void
  /** Sends the change of the form. A refused form stays open, with everything that was typed. */
  submit(values: FormValues): void
}

const READING_KEYS: readonly KeyHelp[] = [{ keys: 'esc', does: 'cancel' }]
const NOT_SENT = 'It is not sent: the line below says why.'

/** Leads from a key over a question or a form to a change. */
export function useDialogs(): Dialogs {
  const desk = useDesk()
  const [dialog, setDialog] = useState<Dialog>()
  const [refusal, setRefusal] = useState<string>()
  /** The form whose answer has not come: a second enter does not send it again. */
  const sent = useRef<Dialog>(undefined)
  const shown = useRef(dialog)
  shown.current = dialog
  const end = (ended: Dialog) => setDialog((now) => (now === ended ? undefined : now))
  const open = (next: Dialog) => {
    setRefusal(undefined)
    setDialog((now) => now ?? next)
  }
  const read = async (next: () => Promise<Dialog>) => {
    // The user sees that a question comes, and may leave it before it is there.
    const reading: Dialog = { kind: 'reading' }
    open(reading)
    try {
      const found = await next()
      setDialog((now) => (now === reading ? found : now))
    } catch (thrown) {
      end(reading)
      desk.changes.say(messageOf(thrown))
    }
  }
  return {
    ...{ dialog, refusal, open, keys: dialog && keysOf(dialog) },
    openWhenRead(next) {
      if (shown.current === undefined) void read(next)
    },
    close: () => setDialog(undefined),
    confirm() {
      if (dialog?.kind === 'question' && desk.changes.start(dialog.change)) end(dialog)
    },
    submit(values) {
      if (dialog?.kind !== 'form' || sent.current === dialog) return
      const change = dialog.changeOf(values)
      const isSent = desk.changes.start({
        ...change,
        async send(client) {
          try {
            const text = await change.send(client)
            end(dialog)
            return text
          } catch (thrown) {
            // The user may have left the form, and opened another one.
            if (shown.current === dialog) setRefusal(refusalText(thrown, dialog.fields))
            throw thrown
          }
        },
        onAnswer() {
          sent.current = undefined
          change.onAnswer?.()
        },
      })
      if (isSent) sent.current = dialog
      setRefusal(isSent ? undefined : NOT_SENT)
    },
  }
}

function keysOf(dialog: Dialog): readonly KeyHelp[] {
  if (dialog.kind === 'form') return FORM_KEYS
  return dialog.kind === 'reading' ? READING_KEYS : keysOfQuestion(dialog.question)
}

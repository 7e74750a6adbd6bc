import { useRef, useState } from 'react'
import { SvcError } from '../../client/index.js'
import { messageOf } from '../../core/errors/index.js'
import { FORM_KEYS, type FormField, type FormValues } from '../components/form/Form.js'
import type { KeyHelp } from '../keys/KeyLine.js'
import { badResult, type Change } from '../live/changes/changes.js'
import { useDaemon } from '../live/use-daemon.js'
import {
  type ChangeQuestion,
  type Questioning,
  type QuestionState,
  questionStateKeys,
  useCurrent,
  useQuestion,
} from './use-question.js'

export interface Dialogs extends Pick<Questioning, 'ask' | 'askWhenRead' | 'askForOrders'> {
  /** The open question or form. */
  dialog: Dialog | undefined
  /** The refusal of the form's last attempt. */
  refusal: string | undefined
  /** The keys of the open question or form. */
  keys: readonly KeyHelp[] | undefined
  open(form: FormDialog): void
  close(): void
  /** Sends the change of the question. */
  confirm(): void
  /** Sends the change of the form. A refused form stays open, with everything that was typed. */
  submit(values: FormValues): void
}

const UNCONFIRMED = 'not made yet, it needs your confirmation.'
const NOT_SENT = 'It is not sent: the line below says why.'

/** Leads from a key over a question or a form to a change, which `prepared` may extend. */
export function useDialogs(prepared?: (change: Change) => Change): Dialogs {
  const { changes } = useDaemon()
  const { state, ask, askWhenRead, askForOrders, confirm, leave } = useQuestion(prepared)
  const { shown: form, now, show } = useCurrent<FormDialog | undefined>(undefined)
  const [refusal, setRefusal] = useState<string>()
  /** The form whose answer has not come: a second enter does not send it again. */
  const sent = useRef<FormDialog>(undefined)
  return {
    dialog: state ?? form,
    refusal,
    ask,
    askWhenRead,
    askForOrders,
    keys: state === undefined ? form && FORM_KEYS : questionStateKeys(state),
    open(next) {
      leave()
      setRefusal(undefined)
      show(next)
    },
    close() {
      leave()
      show(undefined)
    },
    confirm: () => void confirm(),
    submit(values) {
      if (form === undefined || now() !== form || sent.current === form) return
      const change = form.changeOf(values)
      const isSent = changes.start({
        ...change,
        async send(client) {
          try {
            const result = await change.send(client)
            if (now() === form) show(undefined)
            return result
          } catch (thrown) {
            const question = thrown instanceof SvcError ? form.questionAfter?.(thrown, values) : undefined
            if (question !== undefined && now() === form) {
              show(undefined)
              ask(question)
              return badResult(UNCONFIRMED)
            }
            // The user may have left the form, and opened another one.
            if (now() === form) setRefusal(refusalText(thrown, form.fields))
            throw thrown
          }
        },
        onAnswer() {
          sent.current = undefined
          change.onAnswer?.()
        },
      })
      if (isSent) sent.current = form
      setRefusal(isSent ? undefined : NOT_SENT)
    },
  }
}

/** The step between a key and a change: a question to answer, or a form to fill in. */
export type Dialog = QuestionState | FormDialog

export interface FormDialog {
  kind: 'form'
  title: string
  fields: readonly FormField[]
  /** The values at the start. */
  first: FormValues
  changeOf(values: FormValues): Change
  /** Returns the question that a refusal calls for; undefined if it is final. */
  questionAfter?(refusal: SvcError, values: FormValues): ChangeQuestion | undefined
}

/** Returns why the daemon refused a form: its own words, after the field that they are about. */
export function refusalText(thrown: unknown, fields: readonly FormField[]): string {
  if (!(thrown instanceof SvcError)) return messageOf(thrown)
  const texts = Object.entries(thrown.errors).flatMap(([name, messages]) => {
    const label = fields.find((field) => field.name === name)?.label ?? name
    return messages.map((text) => `${label}: ${text}`)
  })
  return texts.length > 0 ? texts.join(' ') : thrown.message
}

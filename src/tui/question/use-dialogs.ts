import { useRef, useState } from 'react'
import { type SvcClient, SvcError } from '../../client/index.js'
import { messageOf } from '../../core/errors/index.js'
import { FORM_KEYS, type FormField, type FormValues } from '../components/form/Form.js'
import type { KeyHelp } from '../keys/KeyLine.js'
import type { Account } from '../live/account.js'
import { badResult, type Change } from '../live/changes/changes.js'
import { useDaemon } from '../live/use-daemon.js'
import {
  type ChangeQuestion,
  type Questioning,
  type QuestionState,
  questionStateKeys,
  type Refusal,
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
  open(form: FormDialog | ReviewedForm): void
  /** Leaves the question, or the form when no question is over it. */
  close(): void
  /** Sends the change of the question. */
  confirm(): void
  /** Sends the change of the form, or asks its question. A refused form stays open, with everything that was typed. */
  submit(values: FormValues): void
}

const UNCONFIRMED = 'not made yet, it needs your confirmation.'
const NOT_SENT = 'It is not sent: the line below says why.'

/** Leads from a key over a question or a form to a change, which `prepared` may extend. */
export function useDialogs(prepared?: (change: Change) => Change): Dialogs {
  const { changes } = useDaemon()
  const { state, ask, askWhenRead, askForOrders, confirm, leave } = useQuestion(prepared)
  const { shown: form, now, show } = useCurrent<FormDialog | ReviewedForm | undefined>(undefined)
  const [refusal, setRefusal] = useState<string>()
  /** The form whose answer has not come: a second enter does not send it again. */
  const sent = useRef<FormDialog>(undefined)
  /** Asks the question of a form, which stays below it until its change is sent. */
  const review = (form: ReviewedForm, values: FormValues) => {
    const kept = { ...form, first: values }
    show(kept)
    setRefusal(undefined)
    void askForOrders(async (client, account) => {
      const found = await form.reviewOf(client, account, values)
      if ('refusal' in found) return found
      const onSent = () => {
        found.onSent?.()
        if (now() === kept) show(undefined)
      }
      return { ...found, onSent }
    }, setRefusal)
  }
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
      if (state === undefined) show(undefined)
      else leave()
    },
    confirm: () => void confirm(),
    submit(values) {
      if (form === undefined || now() !== form || sent.current === form) return
      if ('reviewOf' in form) return review(form, values)
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
export type Dialog = QuestionState | FormDialog | ReviewedForm

interface FormText {
  kind: 'form'
  title: string
  fields: readonly FormField[]
  /** The values at the start. */
  first: FormValues
}

/** A form that leads to a question about orders, and from there to its change. */
export interface ReviewedForm extends FormText {
  reviewOf(client: SvcClient, account: Account, values: FormValues): Promise<ChangeQuestion | Refusal>
}

/** A form that is sent as it is. */
export interface FormDialog extends FormText {
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

import { SvcError } from '../../client/index.js'
import type { FormField, FormValues } from '../components/form/Form.js'
import type { Change } from '../live/changes/changes.js'
import { messageOf } from '../live/message-of.js'
import type { ChangeQuestion, QuestionState } from '../question/use-question.js'

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

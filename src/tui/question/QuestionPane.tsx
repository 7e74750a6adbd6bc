import { Form } from '../components/form/Form.js'
import type { Level } from '../keys/router.js'
import type { Area } from '../terminal/size.js'
import { Question } from './Question.js'
import type { Dialog, Dialogs } from './use-dialogs.js'
import type { QuestionState } from './use-question.js'

interface QuestionPaneProps extends Area {
  state: QuestionState
  level?: Level
  onConfirm(): void
  onLeave(): void
}

/** The question before a change, in place of the content of the screen. */
export function QuestionPane({ state, onConfirm, onLeave, ...area }: QuestionPaneProps) {
  if (state.kind === 'reading')
    return <Question {...area} question={READING} onConfirm={ignore} onCancel={onLeave} />
  const { isOld, question, reading } = state
  const onAgain = isOld ? reading?.again : undefined
  return <Question {...area} {...{ question, onConfirm, onAgain }} onCancel={onLeave} />
}

const READING = { title: 'Asking the daemon …', lines: [] }
const ignore = () => undefined

interface DialogPaneProps extends Area {
  dialog: Dialog
  dialogs: Dialogs
}

/** The open question or form, in place of the content of the screen. */
export function DialogPane({ dialog, dialogs, ...area }: DialogPaneProps) {
  const { close, confirm, refusal, submit } = dialogs
  if (dialog.kind !== 'form') {
    return <QuestionPane {...area} state={dialog} onConfirm={confirm} onLeave={close} />
  }
  const { title, fields, first } = dialog
  return (
    <Form
      {...area}
      title={title}
      fields={fields}
      first={first}
      refusal={refusal}
      onSubmit={submit}
      onCancel={close}
    />
  )
}

import { Form } from '../components/form/Form.js'
import { Question } from '../components/Question.js'
import type { Area } from '../screen/size.js'
import type { Dialog } from './dialog.js'
import type { Dialogs } from './use-dialogs.js'

const READING = { title: 'Asking the daemon …', lines: [] }
const ignore = () => undefined

interface DialogPaneProps extends Area {
  dialog: Dialog
  dialogs: Dialogs
}

/** The open question or form, in place of the content of the screen. */
export function DialogPane({ dialog, dialogs, ...area }: DialogPaneProps) {
  if (dialog.kind === 'reading') {
    return <Question {...area} question={READING} onConfirm={ignore} onCancel={dialogs.close} />
  }
  if (dialog.kind === 'question') {
    return (
      <Question {...area} question={dialog.question} onConfirm={dialogs.confirm} onCancel={dialogs.close} />
    )
  }
  const { title, fields, first } = dialog
  return (
    <Form
      {...area}
      {...{ title, fields, first }}
      {...(dialogs.refusal !== undefined && { refusal: dialogs.refusal })}
      onSubmit={dialogs.submit}
      onCancel={dialogs.close}
    />
  )
}

import { Form } from '../components/form/Form.js'
import { QuestionPane } from '../question/QuestionPane.js'
import type { Area } from '../terminal/size.js'
import type { Dialog } from './dialog.js'
import type { Dialogs } from './use-dialogs.js'

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
      {...{ title, fields, first }}
      {...(refusal !== undefined && { refusal })}
      onSubmit={submit}
      onCancel={close}
    />
  )
}

import { TextField } from '../components/form/TextField.js'
import type { ReasonPane } from './pane.js'

interface ReasonProps {
  pane: ReasonPane
  onSubmit(reason: string): void
  onCancel(): void
}

/** Asks for the reason to reject orders. */
export function Reason({ pane: { ids, refusal }, ...rest }: ReasonProps) {
  const orders = ids.length === 1 ? ids[0] : `${ids.length} orders`
  const label = `Reason to reject ${orders}: `
  return <TextField label={refusal === undefined ? label : `Rejection ${refusal} ${label}`} {...rest} />
}

import { TextField } from '../components/TextField.js'
import type { ReasonPane } from './pane.js'

interface ReasonProps {
  pane: ReasonPane
  onSubmit(reason: string): void
  onCancel(): void
}

/** Asks for the reason to reject orders. */
export function Reason({ pane, ...rest }: ReasonProps) {
  const orders = pane.ids.length === 1 ? pane.ids[0] : `${pane.ids.length} orders`
  return <TextField label={`Reason to reject ${orders}: `} {...rest} />
}

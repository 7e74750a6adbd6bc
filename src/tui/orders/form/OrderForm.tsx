import { useState } from 'react'
import { Form, type FormValues } from '../../components/form/Form.js'
import { useQuotes } from '../../live/prices/quotes.js'
import type { Area } from '../../terminal/size.js'
import type { Draft } from './draft.js'
import { placeFields, termFields } from './fields.js'
import { type Looked, typedSymbol, useInstrument } from './instrument.js'

interface OrderFormProps extends Area {
  draft: Draft
  onSubmit(values: FormValues): void
  onCancel(): void
}

/** The form of a new order, or of a change of one that waits; it checks each field as the user types. */
export function OrderForm({ draft, onSubmit, ...rest }: OrderFormProps) {
  const { order, values, refusal } = draft
  const [typed, setTyped] = useState(values)
  const key = order === undefined ? typedKey(typed.symbol ?? '') : `${order.exchange}:${order.symbol}`
  const looked = useInstrument(key)
  const quote = useQuotes(looked.kind === 'found' ? [key] : [], 'quote').get(key)
  const fields =
    order === undefined
      ? placeFields(looked, typedSymbol(key)?.exchange)
      : termFields(looked.kind === 'found' ? looked.instrument : undefined)
  const facts = [
    ...(quote === undefined ? [] : [`last ${quote.ltp}`]),
    ...(quote?.bid === undefined || quote.ask === undefined ? [] : [`bid ${quote.bid}`, `ask ${quote.ask}`]),
    ...instrumentFacts(looked),
  ]
  const name =
    order === undefined ? 'Place an order' : `Modify ${order.action} ${key}, order ${order.orderid}`
  return (
    <Form
      {...rest}
      fields={fields}
      first={values}
      refusal={refusal}
      title={facts.length === 0 ? name : `${name}: ${facts.join(', ')}`}
      onChange={setTyped}
      // A form leaves out the fields that do not matter; a form that is opened again has them all.
      onSubmit={(submitted) => onSubmit({ ...typed, ...submitted })}
    />
  )
}

function typedKey(text: string): string {
  const symbol = typedSymbol(text)
  return symbol === undefined ? '' : `${symbol.exchange}:${symbol.symbol}`
}

function instrumentFacts(looked: Looked): readonly string[] {
  if (looked.kind !== 'found') return []
  const { lotsize, tick_size } = looked.instrument
  return [`lot ${lotsize}`, `tick ${tick_size}`]
}

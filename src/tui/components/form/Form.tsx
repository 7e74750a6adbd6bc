import { Box, Text } from 'ink'
import { useRef, useState } from 'react'
import { parseTimeOfDay } from '../../../core/time/index.js'
import { visible } from '../../../views/table/cells.js'
import type { KeyHelp } from '../../keys/KeyLine.js'
import { useKeyLayer } from '../../keys/KeysProvider.js'
import type { Level } from '../../keys/router.js'
import { cut, wrappedIn } from '../../terminal/fit.js'
import { useTone } from '../../terminal/theme.js'
import { edited } from './TextField.js'

/** The values of a form, by the names of its fields. */
export type FormValues = Readonly<Record<string, string>>

export interface FormField {
  /** The name in the request. */
  name: string
  /** The heading for people. */
  label: string
  /** The only values; the arrows left and right change between them. */
  choices?: readonly string[]
  isSecret?: boolean
  /** Returns whether the field matters beside the other values; by default it does. */
  isShown?(values: FormValues): boolean
  /** Returns the rule that the value breaks; undefined for a good one. */
  problem?(value: string, values: FormValues): string | undefined
}

interface FormProps {
  title: string
  fields: readonly FormField[]
  first: FormValues
  /** The index of the field to begin with. */
  at?: number
  width: number
  height: number
  level?: Level
  /** The refusal of the last attempt. */
  refusal?: string
  /** Called after each press, for checks that need an answer of the daemon. */
  onChange?(values: FormValues): void
  onSubmit(values: FormValues): void
  onCancel(): void
}

export const FORM_KEYS: readonly KeyHelp[] = [
  { keys: '↑↓', does: 'field' },
  { keys: '←→', does: 'choose' },
  { keys: 'enter', does: 'next, and on the last field go on' },
  { keys: 'esc', does: 'cancel' },
]

/** A form that checks each field as the user types. Enter on the last field submits it if every value is good. */
export function Form(props: FormProps) {
  const { title, fields, first, width, height, level = 'pane', refusal, onChange, onSubmit, onCancel } = props
  // Several keys may arrive before the next drawing, so the state is kept outside of the drawn one.
  const state = useRef({ values: first, at: props.at ?? 0 })
  const [, draw] = useState(0)
  const tone = useTone()
  const { values, at } = state.current
  const shown = shownFields(fields, values)
  useKeyLayer(level, ({ name, text }) => {
    const now = state.current
    const visibleNow = shownFields(fields, now.values)
    if (name === 'esc') onCancel()
    else if (name === 'enter' && now.at >= visibleNow.length - 1) {
      const wrong = visibleNow.findIndex((field) => fieldProblem(field, now.values) !== undefined)
      if (wrong < 0) onSubmit(submitted(visibleNow, now.values))
      else state.current = { ...now, at: wrong }
    } else state.current = afterPress(now, visibleNow, name, text)
    if (state.current.values !== now.values) onChange?.(state.current.values)
    draw((count) => count + 1)
    return true
  })
  const longest = Math.max(...fields.map(({ label }) => label.length))
  // A small terminal shows the fields around the current one.
  const top = Math.max(0, Math.min(at - Math.floor((height - 2) / 2), shown.length - (height - 2)))
  return (
    <Box flexDirection="column" height={height}>
      <Text bold>{cut(visible(title), width)}</Text>
      {shown.slice(top, top + height - 2).map((field, index) => (
        <Field
          key={field.name}
          field={field}
          values={values}
          width={width}
          longest={longest}
          isCurrent={top + index === at}
        />
      ))}
      {wrappedIn(visible(refusal ?? ''), width, height - 1 - Math.min(shown.length, height - 2)).map(
        (line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
          <Text key={at} {...tone('danger')}>
            {line}
          </Text>
        ),
      )}
    </Box>
  )
}

interface FieldProps {
  field: FormField
  values: FormValues
  width: number
  longest: number
  isCurrent: boolean
}

function Field({ field, values, width, longest, isCurrent }: FieldProps) {
  const tone = useTone()
  const value = values[field.name] ?? ''
  const shown = field.isSecret ? '•'.repeat([...value].length) : visible(value)
  const problem = fieldProblem(field, values)
  const text = field.choices === undefined ? shown : choiceText(field.choices, value, isCurrent)
  const room = Math.max(0, width - longest - 4 - text.length - 1)
  return (
    <Text wrap="truncate">
      <Text bold={isCurrent}>{`${isCurrent ? '>' : ' '} ${field.label.padEnd(longest)}  `}</Text>
      {text}
      {isCurrent && field.choices === undefined && <Text inverse> </Text>}
      <Text {...tone('danger')}>{problem === undefined ? '' : ` ${cut(visible(problem), room)}`}</Text>
    </Text>
  )
}

function choiceText(choices: readonly string[], value: string, isCurrent: boolean): string {
  return isCurrent ? choices.map((one) => (one === value ? `[${one}]` : ` ${one} `)).join('') : value
}

function shownFields(fields: readonly FormField[], values: FormValues): readonly FormField[] {
  return fields.filter(({ isShown }) => isShown?.(values) ?? true)
}

function fieldProblem(field: FormField, values: FormValues): string | undefined {
  const value = values[field.name] ?? ''
  if (field.choices !== undefined && !field.choices.includes(value)) return 'choose one'
  return field.problem?.(value, values)
}

/** Returns the values of the fields that matter. */
function submitted(fields: readonly FormField[], values: FormValues): FormValues {
  return Object.fromEntries(fields.map(({ name }) => [name, values[name] ?? '']))
}

interface FormState {
  values: FormValues
  at: number
}

function afterPress(state: FormState, fields: readonly FormField[], name: string, text: string): FormState {
  const last = fields.length - 1
  const { values, at } = state
  if (name === 'up' || name === 'shift-tab') return { values, at: Math.max(0, at - 1) }
  if (['down', 'tab', 'enter'].includes(name)) return { values, at: Math.min(last, at + 1) }
  const field = fields[at]
  if (field === undefined) return state
  const value = values[field.name] ?? ''
  const next =
    field.choices === undefined ? edited(value, name, text) : chosen(field.choices, value, name, text)
  return { at, values: { ...values, [field.name]: next } }
}

/** Returns the choice after a press: an arrow moves on, a letter chooses the next one that begins with it. */
function chosen(choices: readonly string[], value: string, name: string, text: string): string {
  const at = choices.indexOf(value)
  if (name === 'right' || name === 'space') return choices[(at + 1) % choices.length] ?? value
  if (name === 'left') return choices[(at - 1 + choices.length) % choices.length] ?? value
  const later = [...choices.slice(at + 1), ...choices.slice(0, at + 1)]
  return later.find((one) => text !== '' && one.toLowerCase().startsWith(text.toLowerCase())) ?? value
}

/** Returns a check for texts of at most so many characters. */
export function shorterThan(most: number): (text: string) => string | undefined {
  return (text) => (text.length <= most ? undefined : `at most ${most} characters`)
}

/** Returns a check for whole numbers in a range. */
export function wholeBetween(least: number, most: number): (text: string) => string | undefined {
  return (text) => {
    const isGood = /^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most
    return isGood ? undefined : `a whole number from ${least} to ${most}`
  }
}

/** Returns the rule that a time of day breaks. */
export function timeProblem(text: string): string | undefined {
  return text.length === 5 && parseTimeOfDay(text) !== undefined ? undefined : 'a time: HH:MM'
}

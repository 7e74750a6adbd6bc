/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'

/** The token that proves that a form comes from a page of this service. */
export function CsrfField({ token }: { token: string }) {
  return <input type="hidden" name="csrf_token" value={token} />
}

interface ActionProps {
  to: string
  csrf: string
  /** The page to return to, with its filter. */
  back?: string
  fields?: Readonly<Record<string, string>>
  label: string
  /** The label for screen readers, where the visible one does not name the object. */
  spoken?: string
  tone?: 'main' | 'danger'
  children?: Child
}

/** A form of one button, with hidden fields and possibly a visible one. */
export function ActionForm(props: ActionProps) {
  const { to, csrf, back, fields = {}, label, spoken, tone, children } = props
  return (
    <form method="post" action={to}>
      <CsrfField token={csrf} />
      {back !== undefined && <input type="hidden" name="back" value={back} />}
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {children}
      <button type="submit" class={tone ?? ''} {...(spoken && { 'aria-label': spoken })}>
        {label}
      </button>
    </form>
  )
}

/** The filter of a list, in the address of the page. */
export function FilterForm({
  path,
  clear = true,
  children,
}: {
  path: string
  clear?: boolean
  children?: Child
}) {
  return (
    <form class="filter" method="get" action={path}>
      {children}
      <button type="submit" class="main">
        Filter
      </button>
      {clear && (
        <a class="button" href={path}>
          Clear
        </a>
      )}
    </form>
  )
}

interface FieldProps {
  name: string
  label: string
  value?: string | undefined
  type?: string
  [attribute: string]: string | number | boolean | undefined
}

/** An input with its label. */
export function Field({ name, label, value, type = 'text', ...more }: FieldProps) {
  return (
    <label>
      {label}
      <input type={type} name={name} value={value ?? ''} {...more} />
    </label>
  )
}

/** A box that a person ticks to say something. Without it the form sends nothing of this name. */
export function Tick({ name, label, required }: { name: string; label: string; required?: boolean }) {
  return (
    <label>
      <input type="checkbox" name={name} value="true" required={required} /> {label}
    </label>
  )
}

interface ChoiceProps {
  name: string
  label: string
  value?: string | undefined
  options: readonly (readonly [value: string, label: string])[]
}

/** A choice with its label. */
export function Choice({ name, label, value = '', options }: ChoiceProps) {
  return (
    <label>
      {label}
      <select name={name}>
        {options.map(([option, text]) => (
          <option value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

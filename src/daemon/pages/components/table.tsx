/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'

export interface Column<Row> {
  title: string
  cell(row: Row): Child
  /** `num`: right-aligned figures. `tight`: in one line. `wide`: a line of its own on a phone. */
  look?: 'num' | 'tight' | 'wide'
  /** The name under which the live script finds the cell to update it. */
  live?: string
}

interface TableProps<Row> {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** The text for a list without rows. */
  empty: string
  /** The attributes of a row. */
  attributes?(row: Row): Readonly<Record<string, string>>
}

/** A list. On a phone each row is a card. */
export function Table<Row>({ caption, columns, rows, empty, attributes }: TableProps<Row>) {
  if (rows.length === 0) {
    return (
      <>
        <p class="caption">{caption}</p>
        <p class="empty">{empty}</p>
      </>
    )
  }
  return (
    <section class="scroll" tabindex={0} aria-label={caption}>
      <table class="cards">
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, look }) => (
              <th scope="col" class={look ?? ''}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr {...attributes?.(row)}>
              {columns.map(({ title, cell, look, live }) => (
                <td class={look ?? ''} data-label={title}>
                  <div {...(live && { 'data-cell': live })}>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Figures in boxes. */
export function Tiles({ facts }: { facts: readonly (readonly [label: string, value: Child])[] }) {
  return (
    <dl class="tiles">
      {facts.map(([label, value]) => (
        <div>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface PagerProps {
  text: string
  newer?: string | undefined
  older?: string | undefined
}

/** The links to the pages before and after this one. */
export function Pager({ text, newer, older }: PagerProps) {
  return (
    <div class="pager">
      <span>
        {newer && (
          <a class="button" rel="prev" href={newer}>
            Newer
          </a>
        )}
      </span>
      <span>{text}</span>
      <span>
        {older && (
          <a class="button" rel="next" href={older}>
            Older
          </a>
        )}
      </span>
    </div>
  )
}

/** Returns the address of this page with other values in its query. Undefined removes one. */
export function addressWith(
  path: string,
  query: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const all = Object.entries({ ...query, ...changes })
  const given = new URLSearchParams()
  for (const [name, value] of all) if (value !== undefined) given.set(name, String(value))
  return given.size === 0 ? path : `${path}?${given}`
}

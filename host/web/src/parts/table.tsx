import type { ReactNode } from 'react'

export interface Column<T> {
  readonly name: string
  readonly number?: boolean
  readonly show: (row: T) => ReactNode
}

export interface TableProps<T> {
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  /** On a small screen its rows stand below each other, for what nobody reads sideways. */
  readonly stacks?: boolean
}

/** Figures side by side; it scrolls sideways where the screen is small. */
export function Table<T>({ label, columns, rows, keyOf, stacks }: TableProps<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by key.
    <section className={stacks ? 'scroll card stacks' : 'scroll card'} aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, number }) => (
              <th key={name} scope="col" className={number ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, number, show }) => (
                <td key={name} data-column={name} className={number ? 'number' : undefined}>
                  {show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

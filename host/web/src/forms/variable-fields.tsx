import type { Variable } from '../../../src/dashboard/api.ts'
import { TextField } from '../parts/field.tsx'

export interface VariableFieldsProps {
  readonly variables: readonly Variable[]
  /** What was typed, by name; a variable that is not in it stays as it is. */
  readonly values: Readonly<Record<string, string>>
  readonly onChange: (values: Readonly<Record<string, string>>) => void
  readonly faults?: Readonly<Record<string, string>>
}

/** Fields for variables. A secret that is set is never shown: what is typed replaces it. */
export function VariableFields({ variables, values, onChange, faults = {} }: VariableFieldsProps) {
  return variables.map((variable) => (
    <TextField
      key={variable.name}
      label={variable.required ? `${variable.prompt} (needed)` : variable.prompt}
      kind={variable.secret ? 'password' : 'text'}
      value={values[variable.name] ?? variable.value ?? ''}
      placeholder={variable.secret && variable.set ? 'Set. Type to replace it.' : ''}
      fault={faults[variable.name]}
      hint={<VariableHint variable={variable} />}
      onChange={(value) => onChange({ ...values, [variable.name]: value })}
    />
  ))
}

function VariableHint({ variable: { name, url, shadowed, source } }: { readonly variable: Variable }) {
  return (
    <>
      <code>{name}</code>
      {source === 'environment' && ' comes from the environment of the process; a value here waits until it is gone there.'}
      {source !== 'environment' && shadowed && ' is hidden by the environment of the process.'}
      {url && (
        <>
          {' · '}
          <a href={url} target="_blank" rel="noreferrer noopener">
            Where to get it
          </a>
        </>
      )}
    </>
  )
}

/** What is to be written: typed values, without those that were typed and taken back. */
export function typedVariables(variables: readonly Variable[], values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const changed = variables.filter(({ name, value }) => values[name] !== undefined && values[name] !== '' && values[name] !== value)
  return Object.fromEntries(changed.map(({ name }) => [name, values[name] ?? '']))
}

/** What was set and is now empty. */
export function clearedVariables(variables: readonly Variable[], values: Readonly<Record<string, string>>): readonly string[] {
  return variables.filter(({ name, secret, set, value }) => values[name] === '' && set && !secret && value !== '').map(({ name }) => name)
}

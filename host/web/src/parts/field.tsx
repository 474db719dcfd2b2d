import { type ReactNode, useId } from 'react'

interface Common {
  readonly label: string
  readonly hint?: ReactNode
  readonly fault?: string | undefined
}

interface Ids {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

/** Label, control, hint and what is wrong with the value, tied together for readers of the screen. */
export function Field({ label, hint, fault, check, children }: Common & { readonly check?: boolean; children: (ids: Ids) => ReactNode }) {
  const id = useId()
  const described = [hint ? `${id}h` : '', fault ? `${id}f` : ''].filter(Boolean).join(' ')
  const control = children({ id, 'aria-describedby': described || undefined, 'aria-invalid': fault ? true : undefined })
  const name = <label htmlFor={id}>{label}</label>
  return (
    <div className={check ? 'field check' : 'field'}>
      {check ? control : name}
      {check ? name : control}
      {hint && (
        <div className="hint" id={`${id}h`}>
          {hint}
        </div>
      )}
      {fault && (
        <div className="fault" id={`${id}f`}>
          {fault}
        </div>
      )}
    </div>
  )
}

export interface TextFieldProps extends Common {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly kind?: 'text' | 'password' | 'number' | 'search'
  readonly placeholder?: string
  readonly rows?: number
  readonly required?: boolean
  /** What the browser may fill in from its own store; nothing unless told. */
  readonly complete?: 'username' | 'current-password'
}

export function TextField({ value, onChange, kind = 'text', placeholder, rows, required, complete, ...common }: TextFieldProps) {
  return (
    <Field {...common}>
      {(ids) =>
        rows ? (
          <textarea {...ids} className="input" rows={rows} value={value} onChange={(event) => onChange(event.target.value)} />
        ) : (
          <input
            {...ids}
            className="input"
            type={kind}
            value={value}
            placeholder={placeholder}
            required={required}
            autoComplete={complete ?? 'off'}
            spellCheck={false}
            onChange={(event) => onChange(event.target.value)}
          />
        )
      }
    </Field>
  )
}

export interface Choice {
  readonly value: string
  readonly name: string
}

export interface SelectFieldProps extends Common {
  readonly value: string
  readonly choices: readonly Choice[]
  readonly onChange: (value: string) => void
}

export function SelectField({ value, choices, onChange, ...common }: SelectFieldProps) {
  return (
    <Field {...common}>
      {(ids) => (
        <select {...ids} className="input" value={value} onChange={(event) => onChange(event.target.value)}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export interface CheckFieldProps extends Common {
  readonly checked: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
}

export function CheckField({ checked, disabled, onChange, ...common }: CheckFieldProps) {
  return (
    <Field {...common} check>
      {(ids) => (
        <input {...ids} type="checkbox" checked={checked} disabled={disabled} onChange={(event) => onChange(event.target.checked)} />
      )}
    </Field>
  )
}

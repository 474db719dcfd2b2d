import type { ReactNode } from 'react'

export interface ButtonProps {
  readonly children: ReactNode
  readonly onPress?: () => void
  /** One primary button a view; `danger` names what it destroys; `plain` stands in rows. */
  readonly look?: 'primary' | 'danger' | 'plain'
  readonly tiny?: boolean
  readonly busy?: boolean
  readonly disabled?: boolean
  readonly submit?: boolean
  readonly label?: string
}

export function Button({ children, onPress, look, tiny, busy, disabled, submit, label }: ButtonProps) {
  return (
    <button
      type={submit ? 'submit' : 'button'}
      className={['button', look, tiny && 'tiny'].filter(Boolean).join(' ')}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      aria-label={label}
      onClick={onPress}
    >
      {busy ? `${typeof children === 'string' ? children : ''} …` : children}
    </button>
  )
}

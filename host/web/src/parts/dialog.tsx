import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from './button.tsx'
import { ErrorNote } from './notes.tsx'

export interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The browser's own modal dialog: Escape closes it, and the focus goes back to where it came from. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose}>
      <div className="dialog-body">
        <div className="line">
          <h2 className="grow" id={id}>
            {title}
          </h2>
          <Button look="plain" tiny onPress={onClose} label="Close">
            ✕
          </Button>
        </div>
        {children}
      </div>
    </dialog>
  )
}

export interface ConfirmProps {
  readonly title: string
  readonly children: ReactNode
  /** The button's words, which name what is destroyed. */
  readonly action: string
  /** The words of the button that changes nothing. */
  readonly keep?: string
  readonly busy: boolean
  readonly error: unknown
  readonly onConfirm: () => void
  readonly onClose: () => void
}

export function Confirm({ title, children, action, keep = 'Keep', busy, error, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{children}</div>
      <ErrorNote error={error} />
      <div className="line">
        <Button look="danger" busy={busy} onPress={onConfirm}>
          {action}
        </Button>
        <Button onPress={onClose}>{keep}</Button>
      </div>
    </Dialog>
  )
}

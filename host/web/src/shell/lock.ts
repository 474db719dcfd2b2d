export interface Lock {
  readonly isLocked: () => boolean
  /** How often it was opened. */
  readonly opened: () => number
  lock(): void
  open(): void
  onChange(listener: () => void): () => void
}

/** Locked while the login of this browser has ended. The page behind it stays as it is, so that nothing which was typed is lost. */
export function createLock(): Lock {
  const listeners = new Set<() => void>()
  let locked = false
  let opened = 0
  const set = (next: boolean) => {
    if (locked === next) return
    locked = next
    if (!next) opened++
    for (const listener of listeners) listener()
  }
  return {
    isLocked: () => locked,
    opened: () => opened,
    lock: () => set(true),
    open: () => set(false),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

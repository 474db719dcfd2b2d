import { useCallback, useEffect, useState } from 'react'
import { Button } from './button.tsx'

interface Toast {
  readonly key: number
  readonly text: string
  readonly tone: 'ok' | 'bad'
}

const shownFor = 6000

export interface Toasts {
  readonly list: readonly Toast[]
  readonly tell: (text: string, tone?: 'ok' | 'bad') => void
  readonly dismiss: (key: number) => void
}

export function useToasts(): Toasts {
  const [list, setList] = useState<readonly Toast[]>([])
  const tell = useCallback((text: string, tone: 'ok' | 'bad' = 'ok') => {
    setList((old) => [...old.slice(-2), { key: (old.at(-1)?.key ?? 0) + 1, text, tone }])
  }, [])
  const dismiss = useCallback((key: number) => setList((old) => old.filter((toast) => toast.key !== key)), [])
  return { list, tell, dismiss }
}

export function ToastRegion({ list, dismiss }: Toasts) {
  return (
    <div className="toasts" role="status">
      {list.map((toast) => (
        <ToastCard key={toast.key} toast={toast} dismiss={dismiss} />
      ))}
    </div>
  )
}

function ToastCard({ toast, dismiss }: { readonly toast: Toast; readonly dismiss: (key: number) => void }) {
  useEffect(() => {
    const timer = setTimeout(() => dismiss(toast.key), shownFor)
    return () => clearTimeout(timer)
  }, [toast.key, dismiss])
  return (
    <div className="toast">
      <span className="grow">{toast.text}</span>
      <Button look="plain" tiny label="Dismiss" onPress={() => dismiss(toast.key)}>
        ✕
      </Button>
    </div>
  )
}

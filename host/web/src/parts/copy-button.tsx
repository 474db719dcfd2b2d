import { useState } from 'react'
import { Button } from './button.tsx'

/** Puts a text into the clipboard, and says that it is there. `label`: what the text is. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState(false)
  const copy = () => {
    navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  }
  return (
    <Button tiny onPress={copy} label={`Copy ${label}`}>
      {copied ? 'Copied' : 'Copy'}
    </Button>
  )
}

import type { PanelBlock, PanelRecord } from '@agent/plugin-sdk'
import type { ReactNode } from 'react'
import { Badge } from '../parts/badge.tsx'
import { Ago } from '../parts/page.tsx'

type Field = Extract<PanelBlock, { type: 'detail' }>['fields'][number]

/** A value of a plugin, as its manifest wants it shown. What does not fit is shown as it is. */
export function showField(value: PanelRecord[string], { as, tones = {} }: Pick<Field, 'as' | 'tones'>): ReactNode {
  if (value === undefined || value === null || value === '') return <span className="muted">–</span>
  if (typeof value === 'number') return showNumber(value, as)
  const text = typeof value === 'string' ? value : typeof value === 'boolean' ? (value ? 'yes' : 'no') : JSON.stringify(value)
  if (as === 'badge') return <Badge tone={Object.hasOwn(tones, text) ? (tones[text] ?? 'quiet') : 'quiet'}>{text}</Badge>
  return as === 'code' ? <code>{text}</code> : text
}

function showNumber(value: number, as: Field['as']): ReactNode {
  if (as === 'time' && Math.abs(value) <= 8.64e15) return <Ago at={value} />
  return as === 'bytes' ? formatBytes(value) : value.toLocaleString('en')
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

export function formatBytes(bytes: number): string {
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, Math.abs(bytes))) / 10)))
  const value = bytes / 1024 ** step
  return `${step === 0 ? value : value.toFixed(1)} ${units[step]}`
}

import type { PanelBlock, PanelRecord } from '@agent/plugin-sdk'
import type { ReactNode } from 'react'
import { Badge } from '../parts/badge.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Ago } from '../parts/page.tsx'
import { hostOf } from './host-of.ts'

type Field = Extract<PanelBlock, { type: 'detail' }>['fields'][number]

/** A value of a plugin, as its manifest wants it shown. What does not fit is shown as it is. */
export function showField(value: PanelRecord[string], field: Pick<Field, 'as' | 'label' | 'tones'>): ReactNode {
  if (value === undefined || value === null || value === '') return <span className="muted">–</span>
  if (typeof value === 'number') return showNumber(value, field.as)
  return showText(typeof value === 'string' ? value : typeof value === 'boolean' ? (value ? 'yes' : 'no') : JSON.stringify(value), field)
}

function showText(text: string, { as, label, tones = {} }: Pick<Field, 'as' | 'label' | 'tones'>): ReactNode {
  if (as === 'badge') return <Badge tone={Object.hasOwn(tones, text) ? (tones[text] ?? 'quiet') : 'quiet'}>{text}</Badge>
  const host = as === 'link' ? hostOf(text) : undefined
  if (host !== undefined) return <OutsideLink address={text} host={host} label={label} />
  return as === 'code' || as === 'link' ? <code>{text}</code> : text
}

interface OutsideLinkProps {
  readonly address: string
  readonly host: string
  readonly label: string
}

/** The host alone is what a person can judge: the rest of an address may say anything. */
function OutsideLink({ address, host, label }: OutsideLinkProps) {
  return (
    <span className="line">
      <a href={address} target="_blank" rel="noreferrer noopener">
        {host}
      </a>
      <CopyButton text={address} label={label} />
    </span>
  )
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

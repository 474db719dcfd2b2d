import type { PanelBlock, PanelRecord } from '@agent/plugin-sdk'
import type { ReactNode } from 'react'
import type { PanelShown } from '../../../src/dashboard/api.ts'
import type { PanelAsk } from './use-answer.ts'

type BlockOf<Type extends PanelBlock['type']> = Extract<PanelBlock, { type: Type }>

export interface BlockProps<Type extends PanelBlock['type'] = PanelBlock['type']> {
  readonly panel: PanelShown
  readonly block: BlockOf<Type>
  readonly item: string
  /** Milliseconds after which it is asked again. */
  readonly every: number | undefined
  /** What was filled in to see less; undefined where nothing was. */
  readonly filter: PanelRecord | undefined
  /** Stands in place of a list without an item. */
  readonly empty: (title: string) => ReactNode
}

export function askOf({ panel, item, filter }: Pick<BlockProps, 'panel' | 'item' | 'filter'>, method: string): PanelAsk {
  return { panel: panel.id, method, item, ...(filter ? { input: filter } : {}) }
}

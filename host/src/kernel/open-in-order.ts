import type { Ledger } from './ledger.ts'

/** A list of parts, each named once, that are opened one after the other: each gets those before it. */
export interface PartsInOrder<Parts extends object> {
  add<Name extends string, Part>(
    name: Name extends keyof Parts ? never : Name,
    open: (parts: Parts) => Part,
  ): PartsInOrder<Parts & { readonly [Key in Name]: Awaited<Part> }>
  open(): Promise<Parts>
}

/** Begins a list with what is given. The ledger closes the parts that can be closed, the last one first; what is given stays open. */
export function openInOrder<Given extends object>(given: Given, ledger: Pick<Ledger, 'add'>): PartsInOrder<Given> {
  return follow(async () => given, ledger)
}

function follow<Parts extends object>(openFormer: () => Promise<Parts>, ledger: Pick<Ledger, 'add'>): PartsInOrder<Parts> {
  return {
    open: openFormer,
    add<Name extends string, Part>(name: Name extends keyof Parts ? never : Name, open: (parts: Parts) => Part) {
      const openBoth = async (): Promise<Parts & { readonly [Key in Name]: Awaited<Part> }> => {
        const former = await openFormer()
        const part = await open(former)
        if (isClosable(part)) ledger.add(() => part.close(), name)
        return { ...former, [name]: part } as Parts & { readonly [Key in Name]: Awaited<Part> }
      }
      return follow(openBoth, ledger)
    },
  }
}

function isClosable(part: unknown): part is { close(): void | Promise<void> } {
  return typeof part === 'object' && part !== null && 'close' in part && typeof part.close === 'function'
}

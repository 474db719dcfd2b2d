/** The rules of the check itself that need more than a look at a file, with what each wants. */
export const ownRules = {
  types: { stage: 'static', rule: 'types', title: 'the compiler finds nothing wrong' },
  bundle: { stage: 'dynamic', rule: 'bundle', title: 'its entries can be bundled' },
  import: { stage: 'dynamic', rule: 'import', title: 'importing it does nothing and gives what the host calls' },
  contract: { stage: 'dynamic', rule: 'contract', title: 'test/contract.ts says how it is tried' },
} as const

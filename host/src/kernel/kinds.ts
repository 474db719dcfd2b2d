// The one way from the host to the table of kinds: plain data, which is no part of what the SDK promises to plugins.

export { codeKinds, contractKinds, folderOf, kinds, specsOf } from '../../../plugin-sdk/src/kinds/kinds.ts'
export type { CodeRow, Crossing, KindRow } from '../../../plugin-sdk/src/kinds/row.ts'

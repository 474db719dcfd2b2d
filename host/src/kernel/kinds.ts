// The one way from the host to the table of kinds and to that of what will end: plain data, which is no part of what the SDK promises to plugins.

export { type Deprecations, readDeprecations } from '../../../plugin-sdk/src/kinds/deprecated/deprecations.ts'
export { findInManifest } from '../../../plugin-sdk/src/kinds/deprecated/find-in-manifest.ts'
export { codeKinds, contractKinds, folderOf, kinds, specsOf } from '../../../plugin-sdk/src/kinds/kinds.ts'
export type { CodeRow, Crossing, KindRow } from '../../../plugin-sdk/src/kinds/row.ts'

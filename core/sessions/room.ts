import { createCompletion } from './completion.ts'
import {
  anchorOperations,
  caseSealOperations,
  ingestOperations,
  sessionOperations,
} from './operations.ts'
import { createRehoming } from './rehome.ts'
import { createRejudging } from './rejudge.ts'
import { createAnchoring, createAnchorRefresh } from './seal/anchor-batches.ts'
import { createCaseEntering } from './seal/enter-case.ts'
import { createSealing } from './seal/seal-sessions.ts'
import { createTimeStamping } from './seal/stamp-anchors.ts'
import { createBundleSweep } from './sweep-bundles.ts'

type Host = Parameters<typeof createCompletion>[0] &
  Parameters<typeof createRehoming>[0] &
  Parameters<typeof createRejudging>[0] &
  Parameters<typeof createBundleSweep>[0] &
  Parameters<typeof createCaseEntering>[0] &
  Parameters<typeof createSealing>[0] &
  Parameters<typeof createAnchoring>[0]

/** What this room contributes to the service. */
export const room = {
  tables: [],
  groups: {
    anchors: anchorOperations,
    ingest: ingestOperations,
    reviewCases: caseSealOperations,
    sessions: sessionOperations,
  } as const,
  handlers: (host: Host) => [
    createCompletion(host),
    createRehoming(host),
    createRejudging(host),
    createBundleSweep(host),
    createSealing(host),
    createCaseEntering(host),
    createAnchoring(host),
    createAnchorRefresh(host),
    ...(host.timeStamps ? [createTimeStamping(host.timeStamps)] : []),
  ],
}

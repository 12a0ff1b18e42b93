import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Block, root } from './readme-blocks.ts'

/** Functions by which a program gets into a package, by the file that declares them; each shows an example. */
export const entryPoints: Readonly<Record<string, string>> = {
  createService: 'core/create-service.ts',
  recordRestore: 'core/restore.ts',
  unwrap: 'core/kernel/ledger/refusal.ts',
  signedHeaders: 'core/proof/signing/sign.ts',
  verify: 'core/proof/signing/verify.ts',
  verifyDocument: 'core/evidence/verify/documents.ts',
  createMemoryStore: 'core/testing/memory-store.ts',
  createManualClock: 'core/testing/manual-clock.ts',
  createReceiver: 'receiver-kit/receiver.ts',
  createOutcomeCallbackHandler: 'receiver-kit/outcome-handler.ts',
  createSignedOutcomeHandler: 'receiver-kit/reviewers/signed-outcome-handler.ts',
  pinReviewers: 'receiver-kit/reviewers/pin-reviewers.ts',
  fold: 'receiver-kit/events/fold.ts',
  ingestHeaders: 'receiver-kit/ingest-headers.ts',
  createTestSigner: 'receiver-kit/testing/index.ts',
  createClient: 'adapters/client/client.ts',
  createPortalClient: 'adapters/client/portal.ts',
  createReviews: 'adapters/agents/reviews.ts',
  approvalServer: 'adapters/mcp/approval-server.ts',
  createReviewTasks: 'adapters/mcp/review-tasks.ts',
  storeSuite: 'conformance/store/suite.ts',
  inboxSuite: 'conformance/inbox/suite.ts',
  anchorSuite: 'conformance/anchors/suite.ts',
  timeStampSuite: 'conformance/time-stamps/suite.ts',
  blobSuite: 'conformance/blobs/suite.ts',
  signingSuite: 'conformance/signing/suite.ts',
  runReceiverSuite: 'conformance/receiver/suite.ts',
  createSoftwareAuthenticator: 'conformance/authenticator/software-authenticator.ts',
  runOutcomeSuite: 'conformance/outcome/suite.ts',
  runServerSuite: 'conformance/server/suite.ts',
}

/** The examples in doc comments of entry points; throws where one has none. */
export const examples: readonly Block[] = Object.entries(entryPoints).map(([name, file]) => {
  const source = readFileSync(join(root, file), 'utf8')
  const [before = ''] = source.split(new RegExp(`^export (?:async )?function ${name}\\b`, 'm'))
  const comment = before.slice(before.lastIndexOf('/**'))
  const [, text] = /^ \* @example\n \* ```ts\n(.*?)^ \* ```$/ms.exec(comment) ?? []
  if (text === undefined) throw new Error(`${name} of ${file} has no @example in its doc comment`)
  return { name: `example-${name}`, code: text.replaceAll(/^ \* ?/gm, '') }
})

import type { SessionAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { Act } from '../parts/act.tsx'
import { Failure } from '../parts/failure.tsx'
import { download, save } from './downloads.ts'
import { VerifierLink } from './verifier-link.tsx'

/** What can be exported of a session. */
export function SessionFiles({
  session: { sessionId, applicationId, sealed },
}: {
  readonly session: SessionAnswer
}) {
  const asked = { sessionId, applicationId }
  const writing = useWrite()
  const json = async () => {
    const evidence = await writing.run(() => api.evidence.read(asked, { deadlineMs: 300_000 }))
    if (!evidence) return
    const blob = new Blob([JSON.stringify(evidence)], { type: 'application/json' })
    const name = sessionId.slice(0, 80).replaceAll(/[^\w.-]/g, '_')
    save(blob, `${name}-evidence.json`)
  }
  return (
    <section aria-labelledby="files">
      <h2 id="files">Evidence</h2>
      <p class="quiet">
        Signed: anybody can check it with countersign-verify and the published keys, without this
        service.
      </p>
      <Failure error={writing.error.value} />
      <div class="acts">
        <Act writing={writing} onPress={json}>
          JSON
        </Act>
        <button
          type="button"
          onClick={() => void download('Evidence as PDF', (more) => api.evidence.pack(asked, more))}
        >
          PDF
        </button>
        <button
          type="button"
          onClick={() => void download('Steps as CSV', (more) => api.evidence.csv(asked, more))}
        >
          CSV
        </button>
        {sealed && (
          <button
            type="button"
            onClick={() =>
              void download('Certificate of the seal', (more) =>
                api.evidence.certificatePdf(asked, more),
              )
            }
          >
            Certificate of the seal
          </button>
        )}
      </div>
      <VerifierLink />
      {!sealed && <p class="quiet">The certificate is there once the session is sealed.</p>}
    </section>
  )
}

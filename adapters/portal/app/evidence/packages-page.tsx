import type { PackageAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api, serverNow } from '../client/api.ts'
import { namesOf, useActors, useApplicationReading } from '../client/names.ts'
import { useRead } from '../client/use-read.ts'
import { Empty, Page, Shown } from '../parts/page.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { to } from '../paths.ts'
import { isAdmin, may } from '../session.ts'
import { DownloadList } from './download-list.tsx'
import { download } from './downloads.ts'
import { ApplicationsPack, SubjectPack } from './new-packs.tsx'
import { sizeOf } from './size.ts'
import { VerifierLink } from './verifier-link.tsx'
import { packWords } from './words.ts'

/** Packages of evidence: new ones, and the copies of those that were made. */
export default function PackagesPage() {
  const page = usePage()
  const applications = useApplicationReading()
  const names = namesOf(applications)
  const actorOf = useActors()
  const making = useSignal<'none' | 'bulk' | 'auditor' | 'subject'>('none')
  const read = useRead(
    `${page}`,
    (signal) => api.evidencePackages.list({ page, pageSize: 20 }, { signal }),
    { everyMs: 5_000 },
  )
  const columns: readonly Column<PackageAnswer>[] = [
    { head: 'Package', cell: ({ packType }) => packWords[packType] ?? packType },
    {
      head: 'Of',
      cell: ({ applicationIds, sessionCount }) => (
        <>
          <bdi>{applicationIds.map((id) => names.get(id) ?? id).join(', ')}</bdi>, {sessionCount}{' '}
          {sessionCount === 1 ? 'session' : 'sessions'}
        </>
      ),
    },
    { head: 'Size', cell: ({ bytes }) => sizeOf(bytes) },
    { head: 'SHA-256', cell: ({ sha256 }) => <code title={sha256}>{sha256.slice(0, 16)}…</code> },
    {
      head: 'Made',
      cell: ({ createdAt, createdBy }) => (
        <>
          <Time at={createdAt} /> by <bdi>{actorOf(createdBy)}</bdi>
        </>
      ),
    },
    { head: 'Kept until', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      head: 'Act',
      cell: ({ packageId, fileName, expiresAt }) =>
        Date.parse(expiresAt) <= serverNow() ? (
          <span class="quiet">kept no longer</span>
        ) : (
          <button
            type="button"
            aria-label={`Download ${fileName}`}
            onClick={() =>
              void download(fileName, (more) => api.evidencePackages.download({ packageId }, more))
            }
          >
            Download
          </button>
        ),
    },
  ]
  const choose = (what: typeof making.value) => () => {
    making.value = making.value === what ? 'none' : what
  }
  const kinds = [
    ['bulk', 'Sessions of applications'],
    ['auditor', 'For an auditor'],
    ...(isAdmin.value ? ([['subject', 'About a data subject']] as const) : []),
  ] as const
  return (
    <Page title="Packages" acts={<a href={to('/evidence')}>Sessions</a>}>
      <DownloadList />
      <VerifierLink />
      <section aria-labelledby="new">
        <h2 id="new">Make a package</h2>
        <p class="quiet">
          It comes while it is made. Once it was taken whole, a copy is kept for 7 days, and that of
          a data subject for 24 hours.
        </p>
        <div class="acts">
          {may('Export Evidence') &&
            kinds.map(([kind, label]) => (
              <button
                key={kind}
                type="button"
                aria-expanded={making.value === kind}
                onClick={choose(kind)}
              >
                {label}
              </button>
            ))}
        </div>
        {(making.value === 'bulk' || making.value === 'auditor') && (
          <ApplicationsPack key={making.value} kind={making.value} of={applications} />
        )}
        {making.value === 'subject' && <SubjectPack />}
      </section>
      <section aria-labelledby="made">
        <h2 id="made">Packages that were made</h2>
        <Shown of={read}>
          {(list) =>
            list.totalCount === 0 ? (
              <Empty>No package was made yet. Make one above.</Empty>
            ) : (
              <>
                <Rows
                  caption="Packages"
                  columns={columns}
                  rows={list.packages}
                  keyOf={({ packageId }) => packageId}
                />
                <Pager of={list} />
              </>
            )
          }
        </Shown>
      </section>
    </Page>
  )
}

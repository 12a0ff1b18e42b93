import { Failure } from '../parts/failure.tsx'
import { downloads } from './downloads.ts'
import { sizeOf } from './size.ts'

/** What is being downloaded, with a way to end it, and what was. */
export function DownloadList() {
  if (downloads.value.length === 0) return null
  return (
    <section aria-labelledby="downloads">
      <h2 id="downloads">Downloads</h2>
      <ul class="plain">
        {downloads.value.map(({ title, state, bytes, error, cancel }, at) => (
          <li key={downloads.value.length - at}>
            <p>
              <span role="status">
                {title}: {state === 'running' && (bytes === 0 ? 'is being made' : 'is coming')}
                {state === 'saved' && 'saved by the browser'}
                {state === 'failed' && 'broke off, nothing was saved'}
                {state === 'cancelled' && 'cancelled, nothing was saved'}
              </span>
              {bytes > 0 && `, ${sizeOf(bytes)}`}{' '}
              {state === 'running' && (
                <button type="button" aria-label={`Cancel ${title}`} onClick={cancel}>
                  Cancel
                </button>
              )}
            </p>
            {state === 'failed' && <Failure error={error} />}
          </li>
        ))}
      </ul>
    </section>
  )
}

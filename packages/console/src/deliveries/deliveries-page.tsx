import { getRouteApi } from '@tanstack/react-router';
import { allEventTypes, deliveryStates, statusClasses } from '@tradepost/sdk';
import { Filters, SelectFilter, TextFilter } from '../ui/filters';
import { PageHead } from '../ui/page';
import { PeriodFilter } from '../ui/period-filter';
import { SavedViews } from '../ui/saved-views';
import type { DeliveryFilters } from './delivery-filters';
import { DeliveryList } from './delivery-list';
import { ReplayAll } from './replay-all';

const route = getRouteApi('/gate/deliveries');

/** The filters that are IDs, and what they are called. */
const textFilters = [
  ['webhook', 'Webhook', 'whk_…'],
  ['order', 'Order', 'ord_…'],
  ['event', 'Event', 'evt_…'],
] as const;

/** The deliveries to the webhooks of the account. */
export function DeliveriesPage() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (some: DeliveryFilters, isTyped = false) =>
    void navigate({ search: (before) => ({ ...before, ...some }), replace: isTyped });
  return (
    <>
      <PageHead title="Deliveries">
        <SavedViews page="/deliveries" search={filters} />
        <ReplayAll filters={filters} />
      </PageHead>
      <Filters what="deliveries">
        <SelectFilter
          name="State"
          value={filters.state}
          choices={[['', 'All states'], ...deliveryStates.map((one) => [one, one] as const)]}
          onChange={(state) => change({ state })}
        />
        <SelectFilter
          name="Last response"
          value={filters.status}
          choices={[
            ['', 'Any'],
            ...statusClasses.map((one) => [one, one === 'none' ? 'no response' : one] as const),
          ]}
          onChange={(status) => change({ status })}
        />
        <SelectFilter
          name="Event type"
          value={filters.type}
          choices={[['', 'All types'], ...allEventTypes.map((one) => [one, one] as const)]}
          onChange={(type) => change({ type })}
        />
        <PeriodFilter name="Queued" from={filters.from} to={filters.to} onChange={change} />
        {textFilters.map(([name, text, placeholder]) => (
          <TextFilter
            key={name}
            name={text}
            value={filters[name]}
            placeholder={placeholder}
            onChange={(value) => change({ [name]: value }, true)}
          />
        ))}
      </Filters>
      <DeliveryList filters={filters} />
    </>
  );
}

#include "fixtures/in_process_transport.h"

#include <gtest/gtest.h>

#include <thread>

#include "mpi/messages.h"

namespace meteor {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(InProcessTransport, MessagesArriveInTheirOrder) {
  InProcessOffice office(2);
  std::thread sender([&] {
    for (std::uint64_t number = 0; number < 1000; ++number)
      office.transport(0).send(1, {MessageKind::map, std::to_string(number), {}});
  });
  for (std::uint64_t number = 0; number < 1000; ++number) {
    const auto arrival = office.transport(1).receive(seconds(300));
    ASSERT_TRUE(arrival);
    EXPECT_EQ(arrival->message.structure, std::to_string(number));
  }
  sender.join();
}

TEST(InProcessTransport, ReceivedArraysOwnTheirMemory) {
  InProcessOffice office(2);
  std::vector<float> values(1000, 1.0F);
  const Array owned = own_array<float>("owned", {5});
  const Message message{MessageKind::map, {}, {view_array<float>("view", values), owned}};
  office.transport(0).send(1, message);
  EXPECT_TRUE(office.transport(0).flush(seconds(300)));
  values.assign(1000, 2.0F);
  const auto arrival = office.transport(1).receive(seconds(300));
  ASSERT_TRUE(arrival);
  const Array& view = arrival->message.arrays.at(0);
  EXPECT_TRUE(view.owner);
  EXPECT_EQ(view.as<float>()[999], 1.0F);
  EXPECT_EQ(arrival->message.arrays.at(1).data, owned.data);
}

TEST(InProcessTransport, HeartbeatsComeBesideMessages) {
  InProcessOffice office(2);
  office.transport(0).send(1, {MessageKind::map, "first", {}});
  office.transport(0).send_heartbeat(1, {7, true, false});
  const std::vector<HeardHeartbeat> heard = office.transport(1).heartbeats();
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].from, 0u);
  EXPECT_EQ(heard[0].heartbeat, (Heartbeat{7, true, false}));
  EXPECT_TRUE(office.transport(1).receive(seconds(300)));
  EXPECT_TRUE(office.transport(1).heartbeats().empty());
}

TEST(InProcessTransport, NothingComesFromNobody) {
  InProcessOffice office(2);
  EXPECT_FALSE(office.transport(1).receive(milliseconds(0)));
  EXPECT_FALSE(office.transport(1).receive(milliseconds(300)));
}

TEST(InProcessTransport, AnAbortEndsTheWaitingOfAll) {
  InProcessOffice office(2);
  EXPECT_FALSE(office.aborted());
  std::thread waiting([&] { EXPECT_THROW(office.transport(1).receive(seconds(300)), TransportError); });
  EXPECT_THROW(office.transport(0).abort(4), TransportError);
  waiting.join();
  EXPECT_EQ(office.aborted(), 4);
  EXPECT_THROW(office.transport(0).send(1, {}), TransportError);
  EXPECT_THROW(office.transport(0).flush(seconds(1)), TransportError);
}

}  // namespace
}  // namespace meteor

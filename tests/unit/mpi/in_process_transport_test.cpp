#include "mpi/in_process_transport.h"

#include <gtest/gtest.h>

#include <thread>

#include "mpi/messages.h"

namespace meteor {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(InProcessTransport, PacketsArriveInTheirOrder) {
  InProcessOffice office(2);
  std::thread sender([&] {
    for (std::uint64_t number = 0; number < 1000; ++number)
      office.transport(0).send(1, {0, Route::direct, number, {MessageKind::map, std::to_string(number), {}}});
  });
  for (std::uint64_t number = 0; number < 1000; ++number) {
    const auto packet = office.transport(1).receive(seconds(300));
    ASSERT_TRUE(packet);
    EXPECT_EQ(packet->number, number);
    EXPECT_EQ(packet->message.structure, std::to_string(number));
  }
  sender.join();
}

TEST(InProcessTransport, ReceivedArraysOwnTheirMemory) {
  InProcessOffice office(2);
  std::vector<float> values(1000, 1.0F);
  const Array owned = own_array<float>("owned", {5});
  const Message message{MessageKind::map, {}, {view_array<float>("view", values), owned}};
  office.transport(0).send(1, {0, Route::direct, 0, message});
  EXPECT_TRUE(office.transport(0).flush(seconds(300)));
  values.assign(1000, 2.0F);
  const auto packet = office.transport(1).receive(seconds(300));
  ASSERT_TRUE(packet);
  const Array& view = packet->message.arrays.at(0);
  EXPECT_TRUE(view.owner);
  EXPECT_EQ(view.as<float>()[999], 1.0F);
  EXPECT_EQ(packet->message.arrays.at(1).data, owned.data);
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
